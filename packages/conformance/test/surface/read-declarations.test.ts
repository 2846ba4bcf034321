import { describe, expect, test } from 'vitest';
import { judgeRelease } from '../../scripts/upstream/judge.mjs';
import { readWithCompiler } from '../../scripts/upstream/second-reader.mjs';
import type { Declared } from '../../src/surface/declared.js';
import { readDeclarations } from '../../src/surface/read-declarations.js';
import { DECLARATION_CASES } from './declarations.cases.js';

const line = ({ path, kind, type, marks }: Declared): string =>
  `${path} <${kind}> ${type}${marks.length === 0 ? '' : ` [${marks.join(',')}]`}`;
const read = (text: string): readonly Declared[] => readDeclarations([{ name: 'made-up.d.ts', text }]);

describe.each(DECLARATION_CASES)('$name', ({ text, facts }) => {
  test('is read whole', () => {
    const lines = read(text).map(line);
    expect(facts.filter((fact) => !lines.includes(fact))).toEqual([]);
  });

  test('is the same with every other end of line', () => {
    const own = read(text).map(line);
    // One line of a case is a comment that ends with its line.
    for (const end of ['\n', '\r\n', '\r', '\r\r\n\n']) {
      expect(read(text.replace(/\r\n|[\r\n]/g, end)).map(line)).toEqual(own);
    }
  });
});

test("TypeScript's own parser finds the same in all of these", () => {
  const files = DECLARATION_CASES.map(({ text }, index) => ({ name: `case-${index}.d.ts`, text }));
  const { counts, faults } = judgeRelease(readDeclarations(files), readWithCompiler(files));
  expect(faults).toEqual([]);
  for (const [first, second] of Object.values(counts)) expect(first).toBe(second);
});

test('the same fact of several files is one, and files that disagree are two', () => {
  const facts = readDeclarations([
    { name: 'a.d.ts', text: 'export interface A { same: 1; other: 1 }' },
    { name: 'b.d.mts', text: 'export interface A { other: 2; same: 1 }' },
  ]);
  expect(facts.map((each) => `${line(each)} ${each.files.join(' ')}`)).toEqual([
    'A <interface>  [exported] a.d.ts b.d.mts',
    'A.other <field> 1 a.d.ts',
    'A.other <field> 2 b.d.mts',
    'A.same <field> 1 a.d.ts b.d.mts',
  ]);
});

test.each([
  ['export interface A {\n  a: ;\n}', 'made-up.d.ts:2 cannot be read: '],
  ['export type A = {\r  a: 1;\r', 'made-up.d.ts:3 cannot be read: '],
  ['declare const a: 1;\nfor (;;) {}', 'made-up.d.ts:2 cannot be read: '],
])('a file that does not parse is an error with file, line and what to do: %j', (text, expected) => {
  expect(() => read(text)).toThrow(expected);
  expect(() => read(text)).toThrow(/@babel\/parser|src\/surface/);
});
