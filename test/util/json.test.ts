import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonCopy } from '../../src/util/json.js';

class Own {
  readonly shown = 1;
}

describe('a copy as JSON makes it', () => {
  test('whatever the value', () => {
    const value = fc.object({ withDate: true, withBoxedValues: true, withNullPrototype: true, withSparseArray: true });
    fc.assert(
      fc.property(value, (each) => {
        expect(jsonCopy(each)).toEqual(JSON.parse(JSON.stringify(each)));
      }),
    );
  });

  test.each<[string, object]>([
    [
      'what JSON leaves out',
      { a: undefined, b: () => {}, c: [undefined, Symbol('s')], d: Number.NaN, e: new Map([[1, 2]]) },
    ],
    ['toJSON', { a: { toJSON: () => ({ b: [1] }) }, c: { toJSON: () => undefined }, d: new URL('http://a/') }],
    ['instances', { a: new Own(), b: new Uint8Array(2) }],
    ['a key named like the prototype', JSON.parse('{"__proto__":{"a":1}}')],
    ['deep nesting', JSON.parse(`${'{"a":['.repeat(200)}${']}'.repeat(200)}`)],
  ])('%s', (_, value) => {
    expect(jsonCopy(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  test('later changes do not show', () => {
    const value = { list: [{ a: 1 }] };
    const copy = jsonCopy(value);
    value.list.push({ a: 2 });
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  test('what JSON refuses is refused', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = [cycle];
    expect(() => jsonCopy(cycle)).toThrow(TypeError);
    expect(() => jsonCopy({ a: 1n })).toThrow(TypeError);
    expect(() => jsonCopy({ toJSON: () => undefined })).toThrow(TypeError);
  });
});
