import { describe, expect, test } from 'vitest';
import { match, Variables } from '../../../src/testing/player/patterns.js';

describe('patterns that say more than a value', () => {
  const cases: readonly (readonly [pattern: unknown, value: unknown, difference?: string])[] = [
    [{ $contains: 'b' }, 'abc'],
    [{ $contains: '$x' }, 'a$x'],
    [{ $contains: 'x' }, 'abc', 'a text with "x"'],
    [{ $contains: 'x' }, ['x'], 'a text with "x"'],
    [{ $like: ['tidy ', '/x'] }, 'tidy /tmp/a/x'],
    [{ $like: ['tidy ', '/x'] }, 'tidy /x'],
    [{ $like: ['tidy ', '/x'] }, 'wipe /tmp/a/x', 'a text like tidy */x'],
    [{ $like: ['tidy ', '/x'] }, 'tidy /tmp/a/y', 'a text like tidy */x'],
    [{ $like: ['a', 'b', 'c'] }, 'a1b2c'],
    [{ $like: ['a', 'b', 'c'] }, 'acb', 'a text like a*b*c'],
    [{ $like: ['aba', 'aba'] }, 'aba', 'a text like aba*aba'],
    [{ $like: ['a', 'b', 'b'] }, 'ab', 'a text like a*b*b'],
    [{ $like: ['$x'] }, '$x'],
    [{ $like: ['a'] }, 'ab', 'a text like a'],
    [{ $like: ['', ''] }, 1, 'a text like *'],
    [{ $oneOf: ['a', { b: 1 }] }, 'a'],
    [{ $oneOf: ['a', { b: 1 }] }, { b: 1, c: 2 }],
    [{ $oneOf: ['a', 'b'] }, 'c', 'string "b"'],
    [{ $oneOf: [] }, 'c', 'one of nothing'],
    [{ $not: 'a' }, 'b'],
    [{ $not: 'a' }, undefined],
    [{ $not: 'a' }, 'a', 'something else'],
    [{ $not: { $contains: 'a' } }, 'bab', 'something else'],
    [{ a: 1, $exact: true }, { a: 1 }],
    [{ a: { b: ['$_', { c: 1 }] }, $exact: true }, { a: { b: [{}, { c: 1 }] } }],
    [
      { a: 1, $exact: ['b'] },
      { a: 1, b: { c: 2 } },
    ],
    [{ a: 1, $exact: ['b'] }, { a: 1 }],
    [{ a: '$absent', $$exact: 1, $exact: true }, { $exact: 1 }],
    [
      {
        $oneOf: [
          { a: 1, $exact: true },
          { a: 1, b: 2 },
        ],
      },
      { a: 1, b: 2 },
    ],
    [{ $repeat: 'ab', times: 2 }, 'abab'],
    [{ $repeat: 'ab', times: 2 }, 'ab', 'string "abab"'],
    [{ $repeat: 'ab' }, { $repeat: 'ab' }],
  ];
  for (const [pattern, value, expected] of cases) {
    const verdict = expected === undefined ? 'matches' : 'does not match';
    test(`${JSON.stringify(pattern)} ${verdict} ${JSON.stringify(value)}`, () => {
      const result = match({ x: pattern }, { x: value }, new Variables());
      if (expected === undefined) expect(result).toMatchObject({ ok: true });
      else expect(result).toMatchObject({ ok: false, difference: { path: 'x', expected } });
    });
  }

  test.each([
    [{ a: 1, $exact: true }, { a: 1, b: 2 }, 'b'],
    [{ a: { b: [{ c: 1 }] }, $exact: true }, { a: { b: [{ c: 1, d: null }] } }, 'a.b[0].d'],
    [{ a: { $oneOf: [{ b: 1 }] }, $exact: true }, { a: { b: 1, c: 2 } }, 'a.c'],
    [{ a: { b: 1 }, $exact: ['c'] }, { a: { b: 1, c: 2 } }, 'a.c'],
    [{ $exact: true }, { $not: 1 }, '$$not'],
    [{ $exact: true }, JSON.parse('{"__proto__":1}'), '__proto__'],
  ])('%j does not match %j: the key %s', (pattern, value, path) => {
    const difference = { path, expected: 'no such key' };
    expect(match(pattern, value, new Variables())).toMatchObject({ ok: false, difference });
  });

  test('what must not be captures nothing', () => {
    const result = match({ $not: { a: '$x', b: 1 } }, { a: 1, b: 2 }, new Variables());
    expect(result).toEqual({ ok: true, captured: new Map() });
  });

  test('a long text is filled in anywhere', () => {
    expect(new Variables().fill({ a: [{ $repeat: 'xy', times: 3 }] })).toEqual({ a: ['xyxyxy'] });
  });
});

test('inherited properties are no keys of a frame', () => {
  expect(match({ constructor: '$_' }, {}, new Variables())).toMatchObject({ ok: false });
  expect(match(JSON.parse('{"__proto__":"$absent"}'), {}, new Variables()).ok).toBe(true);
  expect(match(JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), new Variables()).ok).toBe(true);
});
