import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Options } from '../../../src/query/options.js';
import { plan } from './launch-case.js';

/** The schema that goes out, on the command line and in `initialize`. */
function sent(schema: Record<string, unknown>): unknown {
  const options: Options = { outputFormat: { type: 'json_schema', schema } };
  const { args, initialize } = plan(options);
  const [flag = ''] = args.filter((arg) => arg.startsWith('--json-schema='));
  const onArgv: unknown = JSON.parse(flag.slice('--json-schema='.length));
  expect(initialize.jsonSchema).toEqual(onArgv);
  return onArgv;
}

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

describe('an output schema that would end the CLI', () => {
  test('goes out without the `$schema` of another draft', () => {
    expect(sent({ $schema: DRAFT_2020, ...A })).toEqual(A);
    expect(sent(z.toJSONSchema(z.object({ a: z.string() })))).toEqual({ ...A, additionalProperties: false });
  });

  test.each([
    [
      'a tuple of draft 2020-12',
      { prefixItems: [{ type: 'string' }], items: false },
      { items: { anyOf: [{ type: 'string' }] }, maxItems: 1 },
    ],
    ['an unknown keyword', { type: 'string', 'x-own': 1 }, { type: 'string' }],
    ['an expression that is not valid with `u`', { type: 'string', pattern: '^[\\w-.]+$' }, { type: 'string' }],
    ['such an expression for keys', { patternProperties: { '[\\w-.]': {} }, additionalProperties: false }, {}],
    [
      'a bound that is none',
      { type: 'number', maximum: Number.POSITIVE_INFINITY, minimum: null, description: 'x' },
      { type: 'number', description: 'x' },
    ],
    ['a condition without a consequence', { type: 'string', if: { minLength: 1 } }, { type: 'string' }],
    ['a consequence without a condition', { type: 'string', else: { minLength: 1 } }, { type: 'string' }],
    ['a value twice in `enum`', { enum: ['a', 'b', 'a', 1, '1'] }, { enum: ['a', 'b', 1, '1'] }],
    [
      'a `contains` that may be missing',
      { type: 'array', contains: { type: 'string' }, minContains: 0 },
      { type: 'array' },
    ],
    ['an exclusive bound of OpenAPI 3.0', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['one that excludes nothing', { maximum: 9, exclusiveMaximum: false }, { maximum: 9 }],
    ['`nullable` without a type', { anyOf: [{ type: 'string' }], nullable: true }, { anyOf: [{ type: 'string' }] }],
    [
      '`additionalItems` beside no tuple',
      { items: { type: 'string' }, additionalItems: false },
      { items: { type: 'string' } },
    ],
    [
      'an expression that a listed key matches',
      { properties: { ab: {} }, patternProperties: { '^a': { type: 'string' } }, additionalProperties: false },
      { properties: { ab: {} } },
    ],
    ['a tuple of nothing', { type: 'array', items: [] }, { type: 'array' }],
    [
      'a tuple of draft 2020-12 that is empty',
      { type: 'array', prefixItems: [], items: false },
      { type: 'array', maxItems: 0 },
    ],
    ['an empty `enum`', { type: 'string', enum: [] }, { type: 'string' }],
    [
      'numbers of characters that are none',
      { type: 'string', minLength: -1, maxLength: 1.5 },
      { type: 'string', maxLength: 1 },
    ],
    ['steps of nothing', { type: 'number', multipleOf: 0 }, { type: 'number' }],
    ['a key that is required twice', { required: ['a', 'b', 'a'] }, { required: ['a', 'b'] }],
    ['a type twice', { type: ['string', 'string'] }, { type: ['string'] }],
    ['`nullable: false`', { type: ['string', 'null'], nullable: false }, { type: ['string', 'null'] }],
    ['`required` of draft 3', { type: 'string', required: true }, { type: 'string' }],
    ['examples of OpenAPI', { type: 'string', examples: { a: { value: 'x' } } }, { type: 'string' }],
    ['a reference to an anchor', { $ref: '#there', description: 'x' }, { description: 'x' }],
    ['a reference to nothing', { $ref: '#/$defs/gone' }, {}],
  ])('goes out without %s', (_, a, expected) => {
    expect(sent({ type: 'object', properties: { a } })).toEqual({ type: 'object', properties: { a: expected } });
  });
});

describe('a reference into what is left out or moved leads to a definition of its own', () => {
  const TEXT = { type: 'string', minLength: 1 };
  test.each<[string, Record<string, unknown>, unknown, unknown]>([
    [
      'of OpenAPI',
      { properties: { a: { $ref: '#/components/schemas/A' } }, components: { schemas: { A: TEXT } } },
      { a: 'x' },
      { a: '' },
    ],
    [
      'into a tuple',
      { properties: { a: { items: [TEXT], additionalItems: false }, b: { $ref: '#/properties/a/items/0' } }, x: 1 },
      { b: 'x' },
      { b: '' },
    ],
    [
      'that leads on, and back to itself',
      {
        properties: { a: { $ref: '#/x/node' } },
        x: {
          node: { type: 'object', properties: { next: { $ref: '#/x/node' }, text: { $ref: '#/x/text' } } },
          text: TEXT,
        },
      },
      { a: { next: { text: 'x' } } },
      { a: { next: { text: '' } } },
    ],
    [
      'whose name another definition has',
      {
        properties: { a: { $ref: '#/x' }, b: { $ref: '#/definitions/referenced1' } },
        ...{ x: TEXT, definitions: { referenced1: { type: 'number' } } },
      },
      { a: 'x', b: 1 },
      { a: 'x', b: 'x' },
    ],
  ])('%s', (_, schema, good, bad) => {
    const isValid = new Ajv({ strict: false }).compile(sent({ type: 'object', ...schema }) as object);
    expect([isValid(good), isValid(bad)]).toEqual([true, false]);
  });
});

test('the `$schema` of a draft that only looks like draft-07 goes out without it', () => {
  expect(sent({ $schema: 'https://json-schema.org/draft-07/schema#', ...A })).toEqual(A);
});

test.each(['50%', 'a%20b', 'a b', 'a/b~c'])('a name that a URI has otherwise can be referred to: %j', (name) => {
  const child = z.object({ c: z.string() }).meta({ id: name });
  const schema = sent(z.toJSONSchema(z.object({ one: child, two: child })) as Record<string, unknown>) as object;
  const isValid = new Ajv({ strict: true }).compile(schema);
  expect(isValid({ one: { c: 'x' }, two: { c: 'y' } })).toBe(true);
  expect(isValid({ one: { c: 'x' }, two: { c: 7 } })).toBe(false);
});

test.each<Record<string, unknown>>([
  A,
  { $schema: 'http://json-schema.org/draft-07/schema#', ...A },
  { type: 'object', properties: { a: { items: [{ type: 'string' }], additionalItems: false } } },
  { type: 'object', properties: { a: { oneOf: [{ type: 'string', format: 'email' }, { not: { type: 'null' } }] } } },
  { type: 'object', properties: { $schema: { type: 'string' }, 'x-own': {} }, dependencies: { a: ['b'] } },
  JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }') as Record<string, unknown>,
])('one that the CLI takes goes out as it is: %j', (schema) => {
  expect(sent(schema)).toEqual(schema);
});
