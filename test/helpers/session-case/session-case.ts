import { expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import type { ScenarioHeader, Step } from '../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../src/util/json.js';
import type { Stage } from './session-stage.js';

/** One case over a running session: given this CLI and this program, then exactly this is seen on both sides. */
export interface SessionCase {
  /** `TS-…` or `PY-…`, several when one case shows several rows. */
  readonly ids: readonly string[];
  readonly name: string;
  /** When ours is, on purpose, not what the id's SDK does: an id in docs/evidence/differences.md, or the row that decides instead. */
  readonly differs?: string;
  /** What the CLI writes and waits for. A real process plays it, and must get to its end. */
  readonly cli: readonly Step[];
  readonly header?: Partial<Omit<ScenarioHeader, 'version'>>;
  readonly options?: Options | ((stage: Stage) => Options);
  /** @defaultValue 'Hi' */
  readonly prompt?: Parameters<typeof promptOf>[0];
  /** What the program does; what it returns is compared with `value`. @defaultValue reads the loop to its end */
  readonly program?: (stage: Stage) => Promise<unknown>;
  readonly expect: Expectation;
}

export type Prompt = string | AsyncIterable<JsonObject> | Iterable<JsonObject>;

export function promptOf(
  given: Prompt | ((stage: Stage) => Prompt) | undefined,
  stage: Stage,
): string | AsyncIterable<never> {
  const prompt = typeof given === 'function' ? given(stage) : (given ?? 'Hi');
  // Rows also hold iterables that the type does not allow, such as arrays.
  return prompt as string | AsyncIterable<never>;
}

export type Answer =
  /** `ok` is the whole `response`; `NO_BODY`: a success without one. */
  | { readonly ok: unknown }
  /** `error` is a part of the text. */
  | { readonly error: string; readonly code?: string }
  | 'none';

export const NO_BODY = '(no body)';

export interface ErrorExpectation {
  /** Name of the class. */
  readonly name: string;
  /** A part of the message. */
  readonly message?: string;
  /** Own fields, each compared whole. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: ErrorExpectation;
}

/** What is not stated is expected not to happen: no error, no answer, no diagnostic, no signal, no warning, no note. */
export interface Expectation {
  /** All frames the CLI read but for the first `initialize` and answers; ids of requests read as `$id`. */
  readonly written?: readonly JsonObject[];
  /** The payload of `initialize` has these fields; `$absent` means that it has none of that name. */
  readonly initialize?: JsonObject;
  /** By the id of the CLI's request. Ids that begin with `probe` are the steps' own business; `elsewhere`: the program compares. */
  readonly answers?: Readonly<Record<string, Answer | readonly Answer[]>> | 'elsewhere';
  /** Names of all messages that the loop gave, in order. */
  readonly messages?: readonly string[];
  /** What the loop threw. */
  readonly error?: ErrorExpectation;
  /** What the program returned. */
  readonly value?: unknown;
  /** What callbacks and the program noted, in order. */
  readonly notes?: readonly unknown[];
  /** Codes. Their order depends on how the pipe cuts what was written. */
  readonly diagnostics?: readonly string[];
  /** Signals that the CLI was sent, with milliseconds on the fake clock when there is one. */
  readonly signals?: readonly (string | readonly [number, string])[];
  /** How the process ended. @defaultValue 0 */
  readonly exitCode?: number | undefined;
  /** Codes of process warnings. */
  readonly warnings?: readonly string[];
}

/** What one run showed. */
export interface Observation {
  readonly initialize: JsonObject;
  readonly written: readonly JsonObject[];
  /** Inner `response` objects by request id. */
  readonly answers: Readonly<Record<string, readonly JsonObject[]>>;
  readonly messages: readonly string[];
  readonly error: unknown;
  readonly value: unknown;
  readonly notes: readonly unknown[];
  readonly diagnostics: readonly string[];
  readonly signals: readonly (string | readonly [number, string])[];
  readonly exitCode: number | undefined;
  readonly warnings: readonly string[];
  /** Rejections that nobody handled. No row expects any. */
  readonly unhandled: readonly string[];
  /** What the CLI missed; `undefined` when it got what it waited for. */
  readonly cliFailure: string | undefined;
}

/** Throws unless the run was exactly what the row says. */
export function checkCase({ expect: stated }: SessionCase, seen: Observation): void {
  expect(seen.cliFailure, 'the scripted CLI').toBeUndefined();
  expect(seen.unhandled, 'unhandled rejections').toEqual([]);
  checkError(seen.error, stated.error, 'error');
  expect(seen.diagnostics.toSorted(), 'diagnostics').toStrictEqual((stated.diagnostics ?? []).toSorted());
  expect(seen.signals, 'signals').toStrictEqual(stated.signals ?? []);
  expect(seen.warnings, 'warnings').toStrictEqual(stated.warnings ?? []);
  expect(seen.notes, 'notes').toStrictEqual(stated.notes ?? []);
  expect(seen.exitCode, 'exit code').toBe('exitCode' in stated ? stated.exitCode : 0);
  if (stated.written) expect(seen.written, 'written').toStrictEqual(stated.written);
  if (stated.messages) expect(seen.messages, 'messages').toStrictEqual(stated.messages);
  if ('value' in stated) expect(seen.value, 'value').toStrictEqual(stated.value);
  for (const [key, value] of Object.entries(stated.initialize ?? {})) {
    const actual = key in seen.initialize ? seen.initialize[key] : '$absent';
    expect(actual, `initialize.${key}`).toStrictEqual(value);
  }
  if (stated.answers !== 'elsewhere') checkAnswers(seen.answers, stated.answers ?? {});
}

function checkAnswers(
  seen: Observation['answers'],
  stated: Exclude<NonNullable<Expectation['answers']>, string>,
): void {
  const lists = Object.entries(stated).map(([id, answer]): [string, readonly Answer[]] => [
    id,
    answer === 'none' ? [] : Array.isArray(answer) ? answer : [answer as Answer],
  ]);
  const answered = lists.flatMap(([id, answers]) => (answers.length === 0 ? [] : [id]));
  expect(Object.keys(seen).sort(), 'answered requests').toEqual(answered.sort());
  for (const [id, answers] of lists) {
    const bodies = seen[id] ?? [];
    expect(bodies.length, `answers to ${id}`).toBe(answers.length);
    for (const [index, answer] of answers.entries()) checkAnswer(id, bodies[index] ?? {}, answer);
  }
}

function checkAnswer(id: string, body: JsonObject, answer: Answer): void {
  if (answer === 'none') throw new Error('unreachable: no answer was expected');
  if ('ok' in answer) {
    const whole =
      answer.ok === NO_BODY
        ? { subtype: 'success', request_id: id }
        : { subtype: 'success', request_id: id, response: answer.ok };
    expect(body, `answer to ${id}`).toStrictEqual(whole);
    return;
  }
  expect(body.subtype, `answer to ${id}`).toBe('error');
  expect(body.error, `answer to ${id}`).toContain(answer.error);
  expect(body.error_code, `error_code of the answer to ${id}`).toBe(answer.code);
}

function checkError(seen: unknown, stated: ErrorExpectation | undefined, what: string): void {
  if (stated === undefined) {
    expect(seen, what).toBeUndefined();
    return;
  }
  expect(seen, what).toBeInstanceOf(Error);
  const error = seen as Error;
  expect(error.name, `${what}.name`).toBe(stated.name);
  if (stated.message !== undefined) expect(error.message, what).toContain(stated.message);
  for (const [key, value] of Object.entries(stated.fields ?? {})) {
    expect(Reflect.get(error, key), `${what}.${key}`).toStrictEqual(value);
  }
  if (stated.cause !== undefined) checkError(error.cause, stated.cause, `${what}.cause`);
}

/** The row with every value that it states changed a little, one at a time. */
export function alteredCases(row: SessionCase): readonly SessionCase[] {
  return alterations(row.expect).map((altered) => ({ ...row, expect: altered as Expectation }));
}

/** Every copy of a value in which one leaf differs, or a list has one entry more. */
function alterations(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return value === 'none' || value === 'elsewhere' ? [] : [`${value}~`];
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'boolean') return [!value];
  if (Array.isArray(value)) {
    const inner = value.flatMap((member, index) => alterations(member).map((other) => value.with(index, other)));
    return [...inner, [...value, '~']];
  }
  if (typeof value === 'object' && value !== null) {
    const own = Object.entries(value);
    const inner = own.flatMap(([key, member]) => alterations(member).map((other) => ({ ...value, [key]: other })));
    return own.length === 0 ? [{ '~': '~' }] : inner;
  }
  return ['~'];
}
