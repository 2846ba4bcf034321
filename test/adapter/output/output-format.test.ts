import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildOutputFormat } from '../../../src/adapter/output/output-format.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { defineType, type TypeSpec } from '../../../src/adapter/schema/type-spec.js';

function schemaOf(output: TypeSpec<unknown>, outputContainer: 'object' | 'array' = 'object') {
  const fields = { ns: 'n', key: 'k', output };
  const prompt = outputContainer === 'array' ? new Prompt({ ...fields, outputContainer }) : new Prompt(fields);
  const format = buildOutputFormat(prompt.render());
  expect(format?.type).toBe('json_schema');
  // As the CLI reads it: draft-07, strict.
  const ajv = new Ajv({ allErrors: true, strictTypes: false, strictTuples: false });
  addFormats.default(ajv);
  return { schema: format?.schema, validate: ajv.compile(format?.schema ?? {}) };
}

describe('the output format', () => {
  test('is absent without an output', () => {
    expect(buildOutputFormat(new Prompt({ ns: 'n', key: 'k' }).render())).toBeUndefined();
  });

  test('says "or null" in one type, at every depth, and leaves the given schema alone (AD-205)', () => {
    const maybe = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const given = {
      type: 'object',
      properties: {
        all: { allOf: [{ properties: { y: maybe } }] },
        list: { type: 'array', items: maybe },
        ref: { $ref: '#/$defs/d' },
      },
      $defs: { d: { type: 'object', properties: { x: { anyOf: [{ type: 'null' }, { type: 'string' }] } } } },
    };
    const before = structuredClone(given);
    const merged = { type: ['string', 'null'] };
    expect(schemaOf(given).schema).toEqual({
      type: 'object',
      properties: {
        all: { allOf: [{ properties: { y: merged } }] },
        list: { type: 'array', items: merged },
        ref: { $ref: '#/$defs/d' },
      },
      $defs: { d: { type: 'object', properties: { x: merged } } },
    });
    expect(given).toEqual(before);
  });

  const merging: readonly { name: string; given: object; sent: object }[] = [
    {
      name: 'bounds and descriptions come along',
      given: {
        description: 'outer',
        anyOf: [{ type: 'string', minLength: 1, description: 'inner' }, { type: 'null' }],
      },
      sent: { description: 'outer', minLength: 1, type: ['string', 'null'] },
    },
    {
      name: 'a list of values names null too',
      given: {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'null', title: 'none' },
        ],
      },
      sent: { type: ['string', 'null'], enum: ['a', null] },
    },
    {
      name: 'so does a constant',
      given: { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
      sent: { type: ['string', 'null'], enum: ['a', null] },
    },
    {
      name: 'a constant that is null in JSON is named once',
      given: { anyOf: [{ type: 'number', const: Infinity }, { type: 'null' }] },
      sent: { type: ['number', 'null'], enum: [null] },
    },
    {
      name: 'inside of what is merged',
      given: { anyOf: [{ type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } }, { type: 'null' }] },
      sent: { type: ['array', 'null'], items: { type: ['number', 'null'] } },
    },
  ];
  test.each(merging)('$name', ({ given, sent }) => {
    expect(schemaOf({ type: 'object', properties: { p: given } }).schema).toEqual({
      type: 'object',
      properties: { p: sent },
    });
  });

  const kept: readonly { name: string; given: object }[] = [
    { name: 'three branches', given: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] } },
    { name: 'no null', given: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    { name: 'a reference', given: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    {
      name: 'a branch that null would have to pass',
      given: { anyOf: [{ type: 'string', not: { type: 'null' } }, { type: 'null' }] },
    },
    {
      name: 'a bound outside that means something else inside',
      given: { minLength: 2, anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
    },
    { name: 'a type outside', given: { type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] } },
    {
      name: 'data that looks like a schema',
      given: {
        default: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        enum: [{ anyOf: [{ type: 'a' }, { type: 'null' }] }],
      },
    },
  ];
  test.each(kept)('is not changed for $name', ({ given }) => {
    const schema = { type: 'object', properties: { p: given, q: {} } };
    expect(schemaOf(schema).schema).toEqual(schema);
  });

  test('a property may have the name of a keyword', () => {
    const schema = { type: 'object', properties: { anyOf: { type: 'array' }, prefixItems: {}, 'x-own': {}, if: {} } };
    expect(schemaOf(schema).schema).toEqual(schema);
  });

  test('of an array is an object with the array in it', () => {
    const item = z.object({ a: z.number() });
    expect(
      schemaOf(defineType(item, { type: 'object', $defs: { n: {} }, properties: { a: {} } }), 'array').schema,
    ).toEqual({
      type: 'object',
      properties: { items: { type: 'array', items: { type: 'object', properties: { a: {} } } } },
      required: ['items'],
      $defs: { n: {} },
    });
    const { validate } = schemaOf(item, 'array');
    expect([validate({ items: [{ a: 1 }] }), validate({ items: [{ a: '1' }] }), validate({})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('of an array of a type that contains itself still means that type', () => {
    const tree = {
      $id: 'tree',
      type: 'object',
      properties: {
        kids: { type: 'array', items: { $ref: '#' } },
        twin: { $ref: '#/properties/kids' },
        leaf: { $ref: '#/$defs/leaf' },
      },
      $defs: { leaf: { type: 'number' } },
    };
    const { validate } = schemaOf(tree, 'array');
    expect(validate({ items: [{ kids: [{ kids: [{ leaf: 1 }] }], twin: [] }] })).toBe(true);
    expect(validate({ items: [{ kids: [{ kids: [{ leaf: '1' }] }] }] })).toBe(false);
    expect(validate({ items: [{ twin: 1 }] })).toBe(false);
  });

  test('holds nothing that the CLI refuses: other drafts, unknown keywords, tuples', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      'x-own': 1,
      properties: {
        closed: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        more: { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
        open: { prefixItems: [{ type: 'string' }] },
        odd: { if: {}, unevaluatedProperties: false, $comment: 'kept' },
      },
      unevaluatedProperties: false,
      dependentRequired: { a: ['b'] },
    };
    expect(schemaOf(schema).schema).toEqual({
      type: 'object',
      properties: {
        closed: { items: { anyOf: [{ type: 'string' }, { type: 'number' }] }, maxItems: 2 },
        more: { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
        open: {},
        odd: { $comment: 'kept' },
      },
    });
    const old = { items: [{ type: 'string' }], additionalItems: false };
    expect(schemaOf({ type: 'object', properties: { old } }).schema).toEqual({
      type: 'object',
      properties: { old: { items: { anyOf: [{ type: 'string' }] }, maxItems: 1 } },
    });
  });

  test('takes no less for what it leaves out: exclusions go along with it', () => {
    const exact = { oneOf: [{ minItems: 1 }, { maxItems: 3 }], not: { type: 'null' } };
    const tuple = { prefixItems: [{ type: 'string' }] };
    const both = { anyOf: [{ minItems: 1 }], oneOf: [tuple, {}], not: tuple, if: tuple, else: {} };
    const of = (a: object) => ({ type: 'object', properties: { a } });
    expect(schemaOf(of(exact)).schema).toEqual(of(exact));
    expect(schemaOf(of(both)).schema).toEqual(of({ anyOf: [{ minItems: 1 }], allOf: [{ anyOf: [{}, {}] }] }));
  });

  test('keeps the `$schema` that the CLI knows, and always has an object root', () => {
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    expect(schemaOf(draft07).schema).toEqual(draft07);
    expect(schemaOf({ properties: {} }).schema).toEqual({ type: 'object', properties: {} });
    expect(schemaOf({ type: ['object', 'null'] }).schema).toEqual({ type: 'object' });
  });

  test('takes what zod makes of its types', () => {
    const { validate } = schemaOf(
      z.object({
        pair: z.tuple([z.string(), z.number()]),
        maybe: z.enum(['a', 'b']).nullable(),
        tagged: z.discriminatedUnion('k', [
          z.object({ k: z.literal('x') }),
          z.object({ k: z.literal('y'), n: z.int() }),
        ]),
        map: z.record(z.string(), z.iso.datetime()),
      }),
    );
    const good = { pair: ['a', 1], maybe: null, tagged: { k: 'y', n: 1 }, map: { a: '2026-01-01T00:00:00Z' } };
    expect(validate(good)).toBe(true);
    expect(validate({ ...good, maybe: 'c' })).toBe(false);
    expect(validate({ ...good, tagged: { k: 'y' } })).toBe(false);
  });
});
