import { type as arktype } from 'arktype';
import { expect, test } from 'vitest';
import { z } from 'zod';
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
