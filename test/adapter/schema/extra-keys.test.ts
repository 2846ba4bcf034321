import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { splitExtraKeys } from '../../../src/adapter/schema/extra-keys.js';
import { parseValue } from '../../../src/adapter/schema/parse-value.js';
import { defineType } from '../../../src/adapter/schema/type-spec.js';
import { thrownBy } from '../support/thrown-by.js';

/** A literal with `then` would look like a promise to the linter. */
const then = (schema: object): object => Object.fromEntries([['then', schema]]);
const A = { type: 'object', properties: { a: { type: 'number' } } };

function unknownKeys(schema: object, value: unknown): readonly string[] {
  const error = thrownBy(() => parseValue({ ...schema }, value, { extra: 'forbid' }));
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(ValidationError);
  const { issues } = error as ValidationError;
  expect(new Set(issues.map(({ message }) => message))).toEqual(new Set(['is not a known key']));
  return issues.map(({ path }) => path);
}

const ignoring = (schema: object, value: unknown): unknown => parseValue({ ...schema }, value, { extra: 'ignore' });

describe('keys that a type does not list', () => {
  test('are rejected by name (AD-009)', () => {
    const error = thrownBy(() => parseValue(A, { a: 1, x: 2 }, { extra: 'forbid' }));
    expect(error).toMatchObject({ name: 'ValidationError', issues: [{ path: 'x' }] });
    expect(String(error)).toContain('x: is not a known key');
  });

  test('are removed, from a copy (AD-010)', () => {
    const value = { a: 1, x: 2 };
    expect(ignoring(A, value)).toEqual({ a: 1 });
    expect(value).toEqual({ a: 1, x: 2 });
  });

  test('are kept when they are allowed', () => {
    expect(parseValue(A, { a: 1, x: 2 }, { extra: 'allow' })).toEqual({ a: 1, x: 2 });
  });

  test('are rejected inside of a value too, though the library would strip them silently (AD-011)', () => {
    const spec = z.object({ list: z.array(z.object({ a: z.number() })) });
    const value = { list: [{ a: 1 }, { a: 2, x: 3 }] };
    expect(spec.parse(value)).toEqual({ list: [{ a: 1 }, { a: 2 }] });
    expect(thrownBy(() => parseValue(spec, value, { extra: 'forbid' }))).toMatchObject({
      name: 'ValidationError',
      issues: [{ path: 'list[1].x' }],
    });
  });

  test('are accepted and kept at a level that allows them (AD-012)', () => {
    for (const additionalProperties of [true, {}, { type: 'number' }]) {
      const schema = { properties: { in: { properties: { a: {} }, additionalProperties }, b: {} } };
      expect(parseValue(schema, { in: { a: 1, x: 2 } }, { extra: 'forbid' })).toEqual({ in: { a: 1, x: 2 } });
      expect(unknownKeys(schema, { in: { x: 2 }, y: 3 })).toEqual(['y']);
    }
  });

  test('an open object keeps everything (AD-013)', () => {
    expect(ignoring({ type: 'object' }, { a: 1 })).toEqual({ a: 1 });
    expect(unknownKeys({ type: 'object' }, { a: 1 })).toEqual([]);
  });

  const union = {
    anyOf: [
      { properties: { kind: { const: 'a' }, x: {} }, required: ['kind'] },
      { properties: { kind: { const: 'b' }, y: {} }, required: ['kind'] },
    ],
  };
  const table: readonly { name: string; schema: object; value: unknown; unknown: string[] }[] = [
    { name: 'no keys at all are listed, on purpose', schema: { properties: {} }, value: { a: 1 }, unknown: ['a'] },
    { name: '`__proto__` of a text', schema: A, value: JSON.parse('{"__proto__":{"a":1}}'), unknown: ['__proto__'] },
    { name: 'a name that every object has', schema: A, value: { constructor: 1 }, unknown: ['constructor'] },
    { name: 'a name that every array has', schema: A, value: { length: 1 }, unknown: ['length'] },
    {
      name: 'keys of all parts of allOf',
      schema: { allOf: [A, { properties: { b: {} } }] },
      value: { a: 1, b: 2, c: 3 },
      unknown: ['c'],
    },
    { name: 'the branch that its tag names', schema: union, value: { kind: 'a', x: 1, y: 2 }, unknown: ['y'] },
    {
      name: 'a tag that no branch has',
      schema: { ...union, anyOf: [...union.anyOf, {}] },
      value: { kind: 'c', y: 2 },
      unknown: [],
    },
    {
      name: 'a branch of another type',
      schema: { anyOf: [A, { type: 'null' }] },
      value: { a: 1, b: 2 },
      unknown: ['b'],
    },
    { name: 'an open branch', schema: { anyOf: [A, { type: 'object' }] }, value: { a: 1, b: 2 }, unknown: [] },
    {
      name: 'branches that only require',
      schema: { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      value: { a: 1, c: 2 },
      unknown: ['c'],
    },
    {
      name: 'a pattern',
      schema: { properties: {}, patternProperties: { '^x-': A } },
      value: { 'x-1': { a: 1, b: 2 }, y: 1 },
      unknown: ['["x-1"].b', 'y'],
    },
    {
      name: 'the values of a record',
      schema: { additionalProperties: A },
      value: { k: { a: 1, b: 2 } },
      unknown: ['k.b'],
    },
    {
      name: 'a reference',
      schema: { $ref: '#/$defs/x~1y', $defs: { 'x/y': A } },
      value: { a: 1, b: 2 },
      unknown: ['b'],
    },
    {
      name: 'a type that contains itself',
      schema: { properties: { next: { $ref: '#' } } },
      value: { next: { next: { z: 1 } } },
      unknown: ['next.next.z'],
    },
    {
      name: 'a tuple',
      schema: { prefixItems: [A, {}], items: A },
      value: [{ b: 1 }, { b: 1 }, { b: 1 }],
      unknown: ['[0].b', '[2].b'],
    },
    {
      name: 'a tuple of draft-07',
      schema: { items: [A], additionalItems: A },
      value: [{ b: 1 }, { b: 2 }],
      unknown: ['[0].b', '[1].b'],
    },
    {
      name: 'a condition',
      schema: { properties: { a: {} }, if: { required: ['a'] }, ...then({ properties: { b: {} } }) },
      value: { a: 1, b: 2, c: 3 },
      unknown: ['c'],
    },
    {
      name: 'a schema that depends',
      schema: { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
      value: { a: 1, b: 2 },
      unknown: [],
    },
    {
      name: 'the same without what it depends on',
      schema: { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } },
      value: { b: 2 },
      unknown: ['b'],
    },
    { name: 'additionalProperties false', schema: { additionalProperties: false }, value: { b: 2 }, unknown: ['b'] },
    {
      name: 'unevaluatedProperties false',
      schema: { allOf: [A], unevaluatedProperties: false },
      value: { a: 1, b: 2 },
      unknown: ['b'],
    },
    { name: 'a value that is no object', schema: A, value: [{ b: 1 }], unknown: [] },
  ];
  test.each(table)('$name', ({ schema, value, unknown }) => {
    const isFit = thrownBy(() => parseValue({ ...schema }, value, { extra: 'allow' })) === undefined;
    if (unknown.length > 0 || isFit) expect(unknownKeys(schema, value)).toEqual(unknown);
    if (isFit && unknown.length === 0) expect(ignoring(schema, value)).toBe(value);
  });

  test('what is removed goes before the schema decides', () => {
    expect(ignoring({ ...A, additionalProperties: false }, { a: 1, b: 2 })).toEqual({ a: 1 });
    expect(parseValue(z.strictObject({ a: z.number() }), { a: 1, b: 2 }, { extra: 'ignore' })).toEqual({ a: 1 });
  });

  test('a member named `__proto__` that is listed stays an own one', () => {
    const properties = JSON.parse('{"__proto__":{},"a":{}}') as object;
    const value = JSON.parse('{"__proto__":{"polluted":true},"a":1,"x":1}') as object;
    const spec = defineType<unknown>(dropping({ properties }), { properties });
    const parsed = parseValue(spec, value, { extra: 'ignore' });
    expect(JSON.stringify(parsed)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect((parsed as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

/** Schemas and values over a few keys, so that they meet often. */
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    // At the largest depth the first is taken.
    fc.constantFrom<object>({}, { type: 'object' }, { type: 'array' }, { $ref: '#' }),
    record(tie('schema')).map((properties) => ({ properties })),
    record(tie('schema')).map((properties) => ({ properties })),
    record(tie('schema')).map((properties) => ({ properties, additionalProperties: true })),
    tie('schema').map((items) => ({ items })),
    tie('schema').map((additionalProperties) => ({ additionalProperties })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
  ),
}));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(1, 'x', null, true),
    record(tie('value')),
    record(tie('value')),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
  ),
}));

function record<T>(inner: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc
    .array(fc.tuple(key, inner), { minLength: 1, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as Record<string, T>);
}

/** Libraries that accept everything, so that only the keys decide. The second drops what is not listed. */
const ANY = { '~standard': { version: 1 as const, vendor: 'v', validate: (given: unknown) => ({ value: given }) } };
const dropping = (jsonSchema: object): typeof ANY => {
  const validate = (given: unknown) => ({ value: splitExtraKeys({ ...jsonSchema }, given).kept });
  return { '~standard': { version: 1, vendor: 'v', validate } };
};

/** Paths of all object keys, as JSON. */
function pathsIn(given: unknown, path: readonly (string | number)[] = []): string[] {
  if (typeof given !== 'object' || given === null) return [];
  return Object.entries(given).flatMap(([name, inner]) => {
    const at = [...path, Array.isArray(given) ? Number(name) : name];
    return [...(Array.isArray(given) ? [] : [JSON.stringify(at)]), ...pathsIn(inner, at)];
  });
}

const isBelow = (path: string, other: string): boolean => path.startsWith(`${other.slice(0, -1)},`);

describe('for any schema and value', () => {
  test('`forbid` rejects exactly what `ignore` drops', () => {
    let dropped = 0;
    fc.assert(
      fc.property(schema, value, fc.boolean(), (jsonSchema, given, keeps) => {
        const type = defineType<unknown>(keeps ? ANY : dropping(jsonSchema), { ...jsonSchema });
        const before = JSON.stringify(given);
        const kept = parseValue(type, given, { extra: 'ignore' });
        const error = thrownBy(() => parseValue(type, given, { extra: 'forbid' }));
        expect(JSON.stringify(given)).toBe(before);
        const after = new Set(pathsIn(kept));
        const gone = pathsIn(given).filter((path) => !after.has(path));
        // What lies below a dropped key is not reported by itself.
        const roots = gone.filter((path) => !gone.some((other) => isBelow(path, other)));
        dropped += roots.length;
        expect((error as ValidationError | undefined)?.issues.length ?? 0).toBe(roots.length);
        // What is left has nothing more to drop.
        expect(parseValue(type, kept, { extra: 'forbid' })).toBe(kept);
      }),
      { numRuns: 300 },
    );
    expect(dropped).toBeGreaterThan(30);
  });
});
