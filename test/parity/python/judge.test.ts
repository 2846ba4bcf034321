import { expect, test } from 'vitest';
import { judgeRow } from './harness/judge.js';
import { differences, mismatch } from './harness/pattern.js';
import type { Json, Look } from './harness/row.js';

const listed = { at: 'a', reason: 'safety', cites: 'D-1', why: 'It is safer.' } as const;
const seen = (python: Json, ours: Json) => async () => ({ name: 'p', python, ours });
const problemsOf = async (look: Omit<Look<string>, 'program'>, python: Json, ours: Json) =>
  (
    await judgeRow(
      { id: 'PY-001', what: 'w', looks: [{ program: 'p', ...look }] },
      'process',
      seen(python, ours),
    )
  ).problems;

test.each([
  { name: 'the same on both sides', look: { at: ['a'], both: { a: 1 } }, ours: { a: 1, b: 2 } },
  { name: 'a listed difference', look: { differs: [listed] }, ours: { a: 2 } },
  {
    name: 'a difference below a listed path',
    look: { at: ['a'], differs: [listed] },
    ours: { a: { b: 1 } },
  },
])('a row holds: $name', async ({ look, ours }) => {
  expect(await problemsOf(look, { a: 1 }, ours)).toEqual([]);
});

test.each([
  {
    name: 'a difference that is not listed',
    look: { at: ['a'] },
    ours: { a: 2 },
    says: 'is not listed',
  },
  {
    name: 'a listed difference that is none',
    look: { differs: [listed] },
    ours: { a: 1 },
    says: 'is the same',
  },
  {
    name: 'both sides not what the row says',
    look: { at: ['a'], both: { a: 3 } },
    ours: { a: 1 },
    says: 'Python is not what the row says',
  },
  {
    name: 'one side not what the row says',
    look: { at: [], ours: { a: 3 } },
    ours: { a: 2 },
    says: 'ours is not what the row says',
  },
  { name: 'nothing compared', look: {}, ours: { a: 1 }, says: 'compares nothing' },
  {
    name: 'a key that only one side has',
    look: { at: [''] },
    ours: { a: 1, b: 1 },
    says: 'b: Python has nothing',
  },
])('a row fails: $name', async ({ look, ours, says }) => {
  expect((await problemsOf(look, { a: 1 }, ours)).join('\n')).toContain(says);
});

test('a row without looks fails', async () => {
  const { problems } = await judgeRow(
    { id: 'PY-001', what: 'w', looks: [] },
    'process',
    seen(1, 1),
  );
  expect(problems).toEqual(['nothing shows it']);
});

test.each<{ pattern: Json; value: Json | undefined; fits: boolean }>([
  { pattern: '$absent', value: undefined, fits: true },
  { pattern: '$absent', value: null, fits: false },
  { pattern: '$any', value: null, fits: true },
  { pattern: '$any', value: undefined, fits: false },
  { pattern: '/^a.c$/', value: 'abc', fits: true },
  { pattern: '/^a.c$/', value: 'ac', fits: false },
  { pattern: [1, '$any'], value: [1, 2], fits: true },
  { pattern: [1], value: [1, 2], fits: false },
  { pattern: [1, '$more'], value: [1, 2, 3], fits: true },
  { pattern: [1, 2, '$more'], value: [1], fits: false },
  { pattern: { a: { b: 1 } }, value: { a: { b: 1, c: 2 } }, fits: true },
  { pattern: { a: 1 }, value: [], fits: false },
])('pattern $pattern on $value: $fits', ({ pattern, value, fits }) => {
  expect(mismatch(pattern, value) === undefined).toBe(fits);
});

test('differences are the paths of what is not the same', () => {
  expect(differences({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 3 }], d: 4 }, '')).toEqual([
    '/a',
    '/b/1/c',
    '/d',
  ]);
  expect(differences([1], [1, 2], 'l')).toEqual(['l']);
});
