import { expect, test } from 'vitest';
import { compareSurfaces, outermost } from '../../src/surface/compare-surfaces.js';
import type { Declared } from '../../src/surface/declared.js';
import { readDeclarations } from '../../src/surface/read-declarations.js';
import { describeSurfaceChange, surfaceText } from '../../src/surface/surface-report.js';

const read = (text: string, name = 'sdk.d.ts'): readonly Declared[] => readDeclarations([{ name, text }]);
const compare = (before: string, now: string): readonly string[] =>
  compareSurfaces(read(before), read(now)).map((each) => `${each.path}: ${describeSurfaceChange(each)}`);

test.each([
  ['type Options = { a: 1 }', 'type Options = { a: 1; b?: string }', ['Options.b: option is new: string, optional']],
  ['type A = { a: 1; b: 2 }', 'type A = { a: 1 }', ['A.b: field is gone']],
  ["type A = 'x' | 'y'", "type A = 'y' | 'z' | 'x'", ["A | 'z': member is new"]],
  ['type A = { a: string }', 'type A = { a?: number }', ['A.a: field: string is now number; is now optional']],
  ['interface A {\n/** @deprecated */\n a: 1 }', 'interface A {\n a: 1 }', ['A.a: field: is no longer deprecated']],
  [
    'interface A { a(): void }',
    'interface A { a(b?: 1): void }',
    ['A.a(): method: () => void is now (b?: 1) => void', 'A.a(b): parameter is new: 1, optional'],
  ],
  ['interface A { a: 1 }', 'type A = { a: 1 }', ['A: interface: is a type now; nothing is now {…}']],
  ['export type A = 1; export {}', 'type A = 1; export {}', ['A: type: is no longer exported']],
  ["type A = {a: 'x'|'y'}", 'type A = { "a":   "y" | ("x") ; }\r', []],
  ['type A = 1; declare const A: 1', 'type A = 1; declare const A: 2', ['A: value: 1 is now 2']],
])('from %j to %j', (before, now, expected) => {
  expect(compare(before, now)).toEqual(expected);
});

test('a declaration that moved to another file is no change; files that come to disagree are one', () => {
  const both = [...read('type A = { a: 1 }', 'one.d.ts'), ...read('type A = { a: 1 }', 'two.d.ts')];
  expect(compareSurfaces(both, read('type A = { a: 1 }', 'three.d.ts'))).toEqual([]);
  const apart = [...read('type A = { a: 1 }', 'one.d.ts'), ...read('type A = { a: 2 }', 'two.d.ts')];
  expect(compareSurfaces(both, apart)).toMatchObject([{ happened: 'addition', path: 'A.a', now: { type: '2' } }]);
});

test('what belongs to a declaration that is new comes with it', () => {
  const changes = compareSurfaces(
    read('type Kept = { a: 1 }'),
    read('type Kept = { a: 1; b: { c: 2 }[] }; type New = { d: 3 }; declare function f(x: { y: 1 }): void;'),
  );
  expect(outermost(changes).map(({ path }) => path)).toEqual(['Kept.b', 'New', 'f()']);
  expect(surfaceText('1 to 2', changes)).toBe(`1 to 2

New (7)
=======

Kept
  Kept.b: field is new: {…}[]
  Kept.b[].c: field is new: 2
New: type is new
  New.d: field is new: 3
f
  f(): function is new: (x: {…}) => void
  f(x): parameter is new
  f(x).y: field is new: 1

7 new, 0 changed, 0 gone
`);
});
