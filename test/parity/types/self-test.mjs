import { checkFile } from './check-files.mjs';
import { compile } from './compile.mjs';

/** A module whose exports are wrong, each in one way. */
const THEIRS = `
export type Message = { type: 'a'; text: string; detail?: { code: number } };
export type Input = { model?: string };
export type Wide = { a: string };
export type Unknowable = any;
export type Update = { type: 'a'; list: string[] } | { type: 'b'; list: string[] } | { type: 'c' };
export declare function take(options: { update?: Update; list: string[] }): void;
export declare function run(prompt: string): Promise<string>;
export declare class Failure extends Error { constructor(message: string); code: string; }
export interface Session { rename(title: string): Promise<void> }
export interface Host { open(): Promise<{ session: Session }> }
`;
const OURS = `
export type Same = { type: 'a'; text: string; detail?: { code: number } };
export type Narrower = { type: 'a'; text: 'x'; detail?: { code: number } };
export type Wider = { type: 'a'; text: string | null; detail?: { code: number } };
export type Poorer = { type: 'a'; text: string };
export type PoorerInside = { type: 'a'; text: string; detail?: Record<never, never> };
export type Anything = any;
export type Loose = { type: 'a'; text: any; detail?: { code: number } };
export type Nothing = never;
export type Merged = { type: 'a' | 'b'; list: string[] } | { type: 'c' };
export type Split = { type: 'a'; list: string[] } | { type: 'b'; list: string[] } | { type: 'c' };
export type Locked = { readonly type: 'a'; list: string[] } | { type: 'b'; list: string[] } | { type: 'c' };
export declare function take(options: { update?: Merged; list: string[] }): void;
export declare function takeFrozen(options: { update?: Split; list: readonly string[] }): void;
export interface Closed { type: 'a'; text: string; detail?: { code: number } }
export type ClosedInside = { type: 'a'; text: string; detail?: Detail };
interface Detail { code: number }
export declare function run(prompt: string, depth: number): Promise<string>;
export declare class Failure extends Error { constructor(message: string); }
export interface Session { rename(title: string): Promise<void> }
export interface Pickier { rename(title: 'x'): Promise<void> }
export interface Demanding { rename(title: string | null): Promise<void> }
export interface PickierInside { open(): Promise<{ session: Pickier }> }
`;

/** Our name in place of the official one, and the questions that must be answered with no. */
const CASES = [
  { theirs: 'Message', ours: 'Same', fails: [] },
  { theirs: 'Message', ours: 'Narrower', fails: ['called', 'in'] },
  { theirs: 'Message', ours: 'Wider', fails: ['calls', 'out'] },
  { theirs: 'Message', ours: 'Poorer', fails: ['keys'] },
  { theirs: 'Message', ours: 'PoorerInside', fails: ['calls', 'keys', 'out'] },
  { theirs: 'Message', ours: 'Anything', fails: ['flaws'] },
  { theirs: 'Message', ours: 'Loose', fails: ['flaws'] },
  { theirs: 'Message', ours: 'Nothing', fails: ['called', 'flaws', 'in', 'keys'] },
  { theirs: 'Message', ours: 'Closed', fails: ['record'] },
  { theirs: 'Message', ours: 'ClosedInside', fails: ['record'] },
  { theirs: 'Message', ours: 'Absent', fails: ['missing'] },
  { theirs: 'Update', ours: 'Split', fails: [] },
  { theirs: 'Update', ours: 'Merged', fails: ['shape'] },
  { theirs: 'Update', ours: 'Locked', fails: ['shape'] },
  { theirs: 'take', ours: 'take', kind: 'value', fails: ['shape'] },
  { theirs: 'take', ours: 'takeFrozen', kind: 'value', fails: ['shape'] },
  { theirs: 'Unknowable', ours: 'Same', fails: ['official'] },
  { theirs: 'run', ours: 'run', kind: 'value', fails: ['calls', 'out'] },
  { theirs: 'Failure', ours: 'Failure', kind: 'class', fails: ['calls', 'keys', 'out'] },
  { theirs: 'Session', ours: 'Session', fails: [] },
  { theirs: 'Session', ours: 'Pickier', fails: ['calls'] },
  { theirs: 'Session', ours: 'Demanding', fails: ['called'] },
  { theirs: 'Host', ours: 'PickierInside', fails: ['calls'] },
];

/** The checks can fail: each wrong mapping is found, by the question that is meant to find it. */
export function selfTest({ suite, tsc, report }) {
  const files = new Map([
    ['theirs.d.ts', THEIRS],
    ['ours.d.ts', OURS],
  ]);
  const questionsOf = new Map();
  for (const { theirs, ours, kind = 'type' } of CASES) {
    const path = `case/${theirs}-${ours}.ts`;
    const { text, questions } = checkFile({
      name: theirs,
      kind,
      direction: 'both',
      official: '../theirs.d.ts',
      ours: '../ours.d.ts',
    });
    files.set(path, text.replaceAll(`Ours.${theirs}`, `Ours.${ours}`));
    questionsOf.set(path, questions);
  }
  const { errors } = compile({ suite, tsc }, 'self-test', files, { skipLibCheck: true });
  for (const { theirs, ours, fails } of CASES) {
    const path = `case/${theirs}-${ours}.ts`;
    const found = new Set(
      errors
        .filter(({ file }) => file === path)
        .map(({ line, code }) => (isAbsent(code) ? 'missing' : questionsOf.get(path)[line])),
    );
    const seen = [...found].sort().join(' ');
    const wanted = [...fails].sort().join(' ');
    report(`self-test: ${theirs} as ${ours}`, seen === wanted ? undefined : `found [${seen}] instead of [${wanted}]`);
  }
}

const isAbsent = (code) => code === 'TS2694' || code === 'TS2724';
