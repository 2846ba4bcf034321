import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type as arktype } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { resolveType } from '../../../src/adapter/schema/type-spec.js';

const memberOf = (type: object): unknown => {
  const { jsonSchema } = resolveType(type as { type: string }, 'Here');
  return (jsonSchema.properties as Record<string, unknown>).a;
};

test.each<[string, object, object]>([
  [
    "the caller's own words come first",
    z.object({ a: z.string().regex(/^a$/i).describe('A letter. Expected: one of two.') }),
    { type: 'string', description: 'A letter. Expected: one of two. Expected: {"pattern":"/^a$/i"}' },
  ],
  [
    'several keywords are described once',
    z.object({ a: z.string().trim().min(2).max(3) }),
    { type: 'string', description: 'Expected: {"minLength":2,"maxLength":3}' },
  ],
  [
    'an expression of arktype whose flags are not known',
    arktype({ a: /^a$/i }),
    { type: 'string', description: 'Expected: {"pattern":"^a$"}' },
  ],
  ['a bound that is no limit', z.object({ a: z.number().min(1).max(Infinity) }), { type: 'number', minimum: 1 }],
  ['a bound that is no limit, of zod 3', z3.object({ a: z3.string().max(Infinity) }), { type: 'string' }],
  ['a literal of zod 3 that is null', z3.object({ a: z3.literal(null) }), { type: 'null' }],
  [
    'a union of zod 3 with null',
    z3.object({ a: z3.union([z3.string(), z3.literal(null)]) }),
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
  ],
  [
    'an expression of zod 3 whose flag is lost',
    z3.object({ a: z3.string().ulid() }),
    { description: 'Expected: {"type":"string","pattern":"^[0-9A-HJKMNP-TV-Z]{26}$"}' },
  ],
  [
    'a record whose keys may be missing, because its values are replaced',
    z.object({ a: z.record(z.enum(['x', 'y']), z.number().catch(0)) }),
    {
      type: 'object',
      propertyNames: { type: 'string', enum: ['x', 'y'] },
      additionalProperties: { default: 0, description: 'Expected: {"type":"number"}' },
      description: 'Expected: {"required":["x","y"]}',
    },
  ],
  [
    'a record whose keys are needed',
    z.object({ a: z.record(z.enum(['x']), z.union([z.string(), z.number()]).nullable()) }),
    expect.objectContaining({ required: ['x'] }),
  ],
  [
    'a loose record, which lets other keys pass',
    z.object({ a: z.looseRecord(z.enum(['x']), z.number()) }),
    {
      type: 'object',
      required: ['x'],
      description:
        'Expected: {"propertyNames":{"type":"string","enum":["x"]},"additionalProperties":{"type":"number"}}',
    },
  ],
  [
    'other keys of zod 3 whose values are converted',
    z3.object({ a: z3.object({}).catchall(z3.coerce.number()) }),
    { type: 'object', properties: {}, additionalProperties: { description: 'Expected: {"type":"number"}' } },
  ],
  [
    'other keys of valibot whose values are replaced',
    toStandardJsonSchema(v.object({ a: v.objectWithRest({}, v.fallback(v.pipe(v.string(), v.minLength(1)), 'x')) })),
    {
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: { description: 'Expected: {"type":"string","minLength":1}' },
    },
  ],
  [
    'further elements of valibot that are replaced',
    toStandardJsonSchema(v.object({ a: v.tupleWithRest([], v.fallback(v.pipe(v.string(), v.minLength(1)), 'x')) })),
    expect.objectContaining({ additionalItems: { description: 'Expected: {"type":"string","minLength":1}' } }),
  ],
  ['any object of arktype, which may be a list', arktype({ a: 'object' }), { type: ['object', 'array'] }],
  [
    'an object of arktype that lists keys',
    arktype({ a: { b: 'string' } }),
    expect.objectContaining({ type: 'object' }),
  ],
  ['what JSON Schema can express stays', z.object({ a: z.string().regex(/^a$/) }), { type: 'string', pattern: '^a$' }],
])('%s', (_, type, expected) => {
  expect(memberOf(type)).toEqual(expected);
});

test('words of the caller that look like ours change nothing else: `oneOf` stays', () => {
  const union = z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]);
  expect(memberOf(z.object({ a: union.describe('Expected: a or b.') }))).toHaveProperty('oneOf');
});

test('a union that contains itself ends', () => {
  const self: z.ZodType = z.lazy(() => z.union([self, self, z.object({ b: self }), z.string()]));
  expect(resolveType(z.object({ a: self }), 'Here').jsonSchema.required).toEqual(['a']);
});

test.each<z3.ZodTypeAny>([
  z3.object({ a: z3.date() }),
  z3.object({ a: z3.bigint().min(1n) }),
  z3.object({ a: z3.literal(1n) }),
])('a type of zod 3 that no JSON value fits is refused, as one of zod 4', (type) => {
  expect(() => resolveType(type, 'Here')).toThrow('no JSON value fits `a`');
});

test.each([
  { type: 'object', properties: { a: { type: 'number', maximum: Infinity } } },
  { type: 'object', properties: { a: { type: 'string', maxLength: Infinity } } },
])('a bound that is not finite in a JSON Schema of the caller is refused, with its place', (schema) => {
  expect(() => resolveType(schema, 'Here')).toThrow(/the JSON Schema is not valid at properties\.a\.max/);
});
