import { expect, test } from 'vitest';
import { judgeRow } from './harness/judge.js';
import { differences, mismatch } from './harness/pattern.js';
import type { Json, Look } from './harness/row.js';
import { type Allowed, judgeWhole } from './harness/whole.js';

const listed = { at: 'a', reason: 'safety', cites: 'D-1', why: 'It is safer.' } as const;
const seen =
  (python: Json, ours: Json, before = python) =>
  async () => ({ name: 'p', python, before, ours });
const problemsOf = async (
  look: Omit<Look<string>, 'program'>,
  python: Json,
  ours: Json,
  kind: 'pure' | 'process' = 'pure',
) =>
  (await judgeRow({ id: 'PY-001', what: 'w', looks: [{ program: 'p', ...look }] }, kind, seen(python, ours))).problems;

test.each([
  { name: 'the same on both sides', look: { at: ['a'], both: { a: 1 } }, ours: { a: 1, b: 2 } },
  { name: 'a listed difference', look: { differs: [listed], ours: { a: 2 } }, ours: { a: 2 } },
  {
    name: 'a difference below a listed path',
    look: { at: ['a'], differs: [listed], ours: { a: { b: 1 } } },
    ours: { a: { b: 1 } },
  },
])('a row holds: $name', async ({ look, ours }) => {
  expect(await problemsOf(look, { a: 1 }, ours)).toEqual([]);
});

test.each([
  { name: 'a difference that is not listed', look: { at: ['a'] }, ours: { a: 2 }, says: 'is not listed' },
  { name: 'a listed difference that is none', look: { differs: [listed] }, ours: { a: 1 }, says: 'is the same' },
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
  { name: 'a key that only one side has', look: { at: [''] }, ours: { a: 1, b: 1 }, says: 'b: Python has nothing' },
])('a row fails: $name', async ({ look, ours, says }) => {
  expect((await problemsOf(look, { a: 1 }, ours)).join('\n')).toContain(says);
});

test('a row without looks fails', async () => {
  const { problems } = await judgeRow({ id: 'PY-001', what: 'w', looks: [] }, 'process', seen(1, 1));
  expect(problems).toEqual(['nothing shows it', 'release before: nothing shows it']);
});

test.each<{ name: string; look: Omit<Look<string>, 'program'>; before: Json; says?: string; isNew?: true }>([
  { name: 'as now', look: { at: ['a'] }, before: { a: 1 } },
  { name: 'listed', look: { at: ['a'], before: { differs: [listed] } }, before: { a: 2 } },
  { name: 'not listed', look: { at: ['a'] }, before: { a: 2 }, says: 'release before: p: differs' },
  { name: 'needlessly', look: { at: ['a'], before: { python: { a: 1 } } }, before: { a: 1 }, says: 'shows the same' },
  { name: 'not run', look: { at: ['a'] }, before: { a: 2 }, isNew: true },
])('the release before: $name', async ({ look, before, says, isNew }) => {
  const row = { id: 'PY-001', what: 'w', looks: [{ program: 'p', ...look }], ...(isNew && { isNew }) };
  const { problems, moved } = await judgeRow(row, 'pure', seen({ a: 1 }, { a: 1 }, before));
  expect(problems.join('\n')).toContain(says ?? '');
  expect(problems).toHaveLength(says === undefined ? 0 : 1);
  const hasMoved = (before as { a: number }).a !== 1 && isNew === undefined;
  expect(moved).toEqual(hasMoved ? [{ at: 'a', first: 'a', others: 0, before: 2, python: 1 }] : []);
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

test.each<{ name: string; look: object; says?: string }>([
  { name: 'nothing says it', look: {}, says: 'nothing says what ours shows there: a' },
  { name: 'the difference takes any value', look: { differs: [{ ...listed, shows: '$any' }] }, says: 'nothing says' },
  { name: 'the look takes any value', look: { ours: { a: '$any' } }, says: 'nothing says what ours shows there: a' },
  { name: 'the look says it', look: { ours: { a: 2 } } },
  { name: 'the difference says it', look: { differs: [{ ...listed, shows: 2 }] } },
  {
    name: 'the difference says something else',
    look: { differs: [{ ...listed, shows: 3 }] },
    says: 'ours is not what the difference says: a: expected 3, got 2',
  },
])('a listed difference says what ours is: $name', async ({ look, says }) => {
  const problems = await problemsOf({ at: ['a'], differs: [listed], ...look }, { a: 1 }, { a: 2 });
  if (says === undefined) expect(problems).toEqual([]);
  else expect(problems.join('\n')).toContain(says);
});

test('differences are the paths of what is not the same', () => {
  expect(differences({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 3 }], d: 4 }, '')).toEqual(['/a', '/b/1/c', '/d']);
  expect(differences([1], [1, 2], 'l')).toEqual(['l']);
});

const ran = { processes: 1, missed: [], verdict: 'passed' };

test.each<{ name: string; ours: Json; look?: object; says?: string }>([
  { name: 'ran through', ours: ran },
  { name: 'nothing started', ours: { ...ran, processes: 0 }, says: 'processes is 0' },
  { name: 'a step was missed', ours: { ...ran, missed: ['reply a'] }, says: 'missed is' },
  { name: 'the play failed', ours: { ...ran, verdict: 'no' }, says: 'verdict is "no"' },
  {
    name: 'nothing started, and the row says so',
    ours: { ...ran, processes: 0, verdict: 'none' },
    look: { ours: { processes: 0 } },
  },
])('a process program must run through on each side: $name', async ({ ours, look, says }) => {
  const problems = await problemsOf({ at: ['same'], ...look }, ran, ours, 'process');
  const found = expect.stringContaining(says ?? '');
  expect(problems).toEqual(says === undefined ? [] : [found, found]);
});

const allowed = (at: string, more: Partial<Allowed> = {}): Allowed => ({
  at: [at],
  reason: 'safety',
  cites: 'D-1',
  why: 'It is safer.',
  ...more,
});

test.each<{ name: string; list: readonly Allowed[]; listed?: string[]; says?: string }>([
  { name: 'on the list', list: [allowed('a/#/*')] },
  { name: 'on the list for this program', list: [allowed('a', { in: ['p…'] })] },
  { name: 'listed by a row', list: [], listed: ['a/0'] },
  { name: 'listed nowhere', list: [], says: 'neither a row nor the list says so: a/0/b' },
  {
    name: 'on the list for another program',
    list: [allowed('a', { in: ['q'] }), allowed('a')],
    says: 'was never seen: a',
  },
  { name: 'on the list and not seen', list: [allowed('a'), allowed('c')], says: 'never seen: c' },
  { name: 'a matter of who is first', list: [allowed('a'), allowed('c', { mayBeMissing: true })] },
])('whole observations: $name', ({ list, listed = [], says }) => {
  const whole = { name: 'program', python: { a: [{ b: 1 }] }, ours: { a: [{ b: 2 }] }, listed };
  expect(judgeWhole([whole], list)).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
});
