import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PromptValidationError, ValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { type ExtraKeys, parseValue, parseValueAsync } from '../../../src/adapter/schema/parse-value.js';
import { defineType, resolveType } from '../../../src/adapter/schema/type-spec.js';
import { thrownBy } from '../support/thrown-by.js';

/** A literal with `then` would look like a promise to the linter. */
const then = (schema: object): object => Object.fromEntries([['then', schema]]);
const A = { type: 'object', properties: { a: { type: 'number' } } };

function issuesOf(spec: Parameters<typeof parseValue>[0], value: unknown, extra: ExtraKeys = 'forbid') {
  const error = thrownBy(() => parseValue(spec, value, { extra }));
  expect(error).toBeInstanceOf(ValidationError);
  return (error as ValidationError).issues;
}

describe('what a type is made of', () => {
  test('of a Standard Schema with an explicit JSON Schema, the second is what the model sees and the first decides', () => {
    const seen = { type: 'object', properties: { a: { type: 'string', description: 'a word' } } };
    const params = defineType(z.object({ a: z.string().max(2).toUpperCase() }), seen);
    const tool = new Tool({ name: 't', description: 'd', params });
    expect(tool.inputSchema).toEqual(seen);
    expect(parseValue(params, { a: 'xy' }, { extra: 'forbid' })).toEqual({ a: 'XY' });
    expect(issuesOf(params, { a: 'xyz' })).toMatchObject([{ path: 'a' }]);
  });

  test('a Standard Schema that describes itself needs no JSON Schema', () => {
    const tool = new Tool({ name: 't', description: 'd', params: z.object({ a: z.string().default('x') }) });
    expect(tool.inputSchema).toMatchObject({ type: 'object', properties: { a: { type: 'string' } } });
    // The input side: what has a default is not required.
    expect(tool.inputSchema.required).toBeUndefined();
  });

  test('a Standard Schema without a JSON Schema is refused, and the error says how to supply one (AD-007)', async () => {
    const { Prompt } = await import('../../../src/adapter/prompt/prompt.js');
    const bare = {
      '~standard': { version: 1 as const, vendor: 'home-made', validate: (value: unknown) => ({ value }) },
    };
    for (const build of [
      () => new Tool({ name: 't', description: 'd', params: bare }),
      () => new Prompt({ ns: 'n', key: 'k', output: bare }),
    ]) {
      const error = thrownBy(build);
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain('home-made');
      expect(String(error)).toContain('defineType(schema, jsonSchema)');
    }
    const supplied = defineType(bare, { type: 'object' });
    expect(new Tool({ name: 't', description: 'd', params: supplied }).inputSchema).toEqual({ type: 'object' });
  });

  const wrong: readonly { name: string; spec: unknown; says: string }[] = [
    { name: 'nothing', spec: undefined, says: 'undefined' },
    { name: 'null', spec: null, says: 'null' },
    { name: 'a text', spec: 'string', says: 'string "string"' },
    { name: 'an array', spec: [], says: 'array of 0' },
    { name: 'a shape of zod', spec: { a: z.string() }, says: 'z.object' },
    { name: 'a schema that no JSON value fits', spec: z.date(), says: 'z.coerce.date()' },
    { name: 'one inside of it', spec: z.object({ a: z.object({ b: z.bigint() }) }), says: '`a.b`' },
  ];
  test.each(wrong)('$name is no type', ({ spec, says }) => {
    const error = thrownBy(() => resolveType(spec as object as { type: string }, 'Here'));
    expect(error).toBeInstanceOf(PromptValidationError);
    const { message, hint } = error as PromptValidationError;
    expect(message).toMatch(/^Here: /);
    expect(`${message} ${hint}`).toContain(says);
  });

  test('a JSON Schema that ajv cannot compile is refused, as parameters and as output, with its place (AD-378)', async () => {
    const { Prompt } = await import('../../../src/adapter/prompt/prompt.js');
    const at = (jsonSchema: object) => [
      () => new Tool({ name: 't', description: 'd', params: { ...jsonSchema } }),
      () => new Prompt({ ns: 'n', key: 'k', output: { ...jsonSchema } }),
    ];
    const table = [
      { schema: { type: 5 }, place: 'type' },
      { schema: { type: 'object', properties: { a: { type: 5 } } }, place: 'properties.a.type' },
      { schema: { type: 'object', properties: { a: { pattern: '[' } } }, place: 'properties.a.pattern' },
      { schema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } } }, place: '#/$defs/b' },
      { schema: { type: 'object', required: ['a', 5] }, place: 'required[1]' },
    ];
    for (const { schema, place } of table) {
      for (const build of at(schema)) {
        const error = thrownBy(build);
        expect(error).toBeInstanceOf(PromptValidationError);
        expect((error as Error).message).toContain(place);
      }
    }
  });

  test.each([
    { type: 'number' },
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'array' }] },
    { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } },
    { allOf: [{ type: 'object' }, { enum: ['a'] }] },
  ])('parameters that cannot be an object are refused: %j (AD-177)', async (schema) => {
    const { PromptTemplate } = await import('../../../src/adapter/prompt/prompt.js');
    const { Section } = await import('../../../src/adapter/prompt/section.js');
    const error = thrownBy(() => {
      const tools = [new Tool({ name: 'odd', description: 'd', params: schema })];
      return new PromptTemplate({ ns: 'n', key: 'k', sections: [new Section({ title: 'S', key: 's', tools })] });
    });
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(String(error)).toContain('tool "odd"');
    expect(String(error)).toContain('object');
  });
});

describe('what fits', () => {
  test('a missing key is named by its path (AD-008)', () => {
    expect(issuesOf({ type: 'object', required: ['a'] }, {})).toEqual([{ path: 'a', message: 'is required' }]);
  });

  const keywords: readonly { schema: object; fits: readonly unknown[]; not: readonly unknown[] }[] = [
    { schema: { type: ['string', 'null'] }, fits: ['', null], not: [0, {}] },
    { schema: { type: 'integer', minimum: 1, exclusiveMaximum: 3 }, fits: [1, 2], not: [0, 3, 1.5, '1'] },
    { schema: { type: 'object', required: ['a'], additionalProperties: false }, fits: [], not: [{ a: 1 }] },
    { schema: { items: { type: 'number' } }, fits: [[], [1]], not: [['1']] },
    { schema: { prefixItems: [{ type: 'number' }], items: false }, fits: [[1]], not: [[1, 2], ['1']] },
    { schema: { items: [{ type: 'number' }], additionalItems: false }, fits: [[1]], not: [[1, 2], ['1']] },
    { schema: { enum: ['a', 1, null] }, fits: ['a', 1, null], not: ['b', false] },
    { schema: { const: false }, fits: [false], not: [0, ''] },
    { schema: { anyOf: [{ type: 'string' }, { type: 'number' }] }, fits: ['', 1], not: [null] },
    { schema: { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, fits: [0, 4], not: [2] },
    { schema: { allOf: [{ minimum: 1 }, { maximum: 3 }] }, fits: [2], not: [0, 4] },
    { schema: { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, fits: [1], not: ['1'] },
    { schema: { minLength: 2, maxLength: 3, pattern: '^a' }, fits: ['ab', 5], not: ['a', 'ba', 'abcd'] },
    { schema: { minItems: 1, maxItems: 2, uniqueItems: true }, fits: [[1, 2]], not: [[], [1, 1], [1, 2, 3]] },
    { schema: { type: 'string', format: 'date-time' }, fits: ['2026-01-01T00:00:00Z'], not: ['today'] },
    { schema: { type: 'string', format: 'unheard-of', xyz: 1 }, fits: ['anything'], not: [1] },
    { schema: { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'number' }, fits: [1], not: [''] },
    { schema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'number' }, fits: [1], not: [''] },
    { schema: { $async: true, type: 'number' }, fits: [1], not: [''] },
  ];
  test.each(keywords)('$schema', ({ schema, fits, not }) => {
    for (const value of fits) expect(parseValue({ ...schema }, value, { extra: 'allow' })).toBe(value);
    for (const value of not) issuesOf({ ...schema }, value, 'allow');
  });

  test('nothing is coerced and no default is filled in', () => {
    const schema = { type: 'object', properties: { a: { type: 'number', default: 7 } } };
    expect(parseValue(schema, {}, { extra: 'forbid' })).toEqual({});
    expect(issuesOf(schema, { a: '7' })).toEqual([{ path: 'a', message: 'must be number' }]);
  });

  test('paths have indexes in brackets, and odd keys in quotes', () => {
    const schema = {
      properties: { list: { items: { properties: { 'a b': { properties: { '0': { type: 'number' } } } } } } },
    };
    expect(issuesOf(schema, { list: [{}, { 'a b': { '0': '' } }] })).toEqual([
      { path: 'list[1]["a b"].0', message: 'must be number' },
    ]);
  });

  test('two types with one `$id` do not meet', () => {
    const first = { $id: 'x', type: 'number' };
    const second = { $id: 'x', type: 'string' };
    expect(parseValue(first, 1, { extra: 'allow' })).toBe(1);
    expect(parseValue(second, 'a', { extra: 'allow' })).toBe('a');
  });
});

describe('asynchronous schemas', () => {
  const later = defineType(z.object({ a: z.string().refine(async (text) => text === 'right', 'must be right') }), {
    type: 'object',
    properties: { a: { type: 'string' } },
  });

  test('are awaited', async () => {
    const value = await parseValueAsync(later, { a: 'right' }, { extra: 'forbid' });
    expect(value).toEqual({ a: 'right' });
    const wrong = parseValueAsync(later, { a: 'wrong' }, { extra: 'forbid' });
    await expect(wrong).rejects.toMatchObject({ issues: [{ path: 'a', message: 'must be right' }] });
  });

  test('are an error where a value is needed at once, and nobody is left waiting', async () => {
    let reject = (_: Error): void => {};
    const pending = {
      '~standard': {
        version: 1 as const,
        vendor: 'v',
        validate: () =>
          new Promise<{ value: number }>((_, no) => {
            reject = no;
          }),
      },
    };
    expect(issuesOf(defineType(pending, {}), 1)[0]?.message).toContain('asynchronous');
    // An unhandled rejection would fail the test run.
    reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('a schema that throws, or rejects, is a ValidationError with the cause', async () => {
    const boom = new Error('boom');
    const throwing = (validate: () => never | Promise<never>) =>
      defineType({ '~standard': { version: 1 as const, vendor: 'v', validate } }, {});
    const atOnce = throwing(() => {
      throw boom;
    });
    expect(thrownBy(() => parseValue(atOnce, 1, { extra: 'allow' }))).toMatchObject({
      name: 'ValidationError',
      cause: boom,
    });
    const rejected = parseValueAsync(
      throwing(() => Promise.reject(boom)),
      1,
      { extra: 'allow' },
    );
    await expect(rejected).rejects.toMatchObject({ name: 'ValidationError', cause: boom });
  });
});

describe('hostile input', () => {
  const Tree = { properties: { kids: { items: { $ref: '#' } } } };

  test('a getter that throws', () => {
    const value = {
      get a(): number {
        throw new Error('secret');
      },
    };
    for (const extra of ['forbid', 'ignore', 'allow'] as const) {
      const [issue] = issuesOf({ properties: { a: { type: 'number' } } }, value, extra);
      expect(issue?.message).toContain('cannot be read');
      expect(issue?.message).not.toContain('secret');
    }
  });

  test('a nesting deeper than the stack, and a value that contains itself', () => {
    let deep: object = {};
    for (let depth = 0; depth < 200_000; depth += 1) deep = { kids: [deep] };
    const round: { kids: unknown[] } = { kids: [] };
    round.kids.push(round);
    for (const value of [deep, round]) {
      expect(issuesOf(Tree, value)[0]?.message).toContain('nested too deeply');
    }
  });

  test('a schema that is nested too deeply, or contains itself', () => {
    let deep: object = {};
    for (let depth = 0; depth < 200_000; depth += 1) deep = { items: deep };
    const round: Record<string, unknown> = { type: 'object' };
    round.properties = { a: round };
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    for (const schema of [deep, round, loop]) {
      const error = thrownBy(() => resolveType({ ...schema }, 'Here'));
      expect(error).toBeInstanceOf(PromptValidationError);
      expect(String(error)).toContain('nested too deeply, or contains itself');
    }
  });

  test('unions within unions stay cheap', () => {
    const node = {
      oneOf: ['add', 'sub', 'mul', 'div'].map((op) => ({
        properties: { op: { const: op }, l: { $ref: '#/$defs/node' }, r: { $ref: '#/$defs/node' } },
        required: ['op'],
      })),
    };
    let value: object = { op: 'add', extra: true };
    for (let depth = 0; depth < 300; depth += 1) value = { op: 'mul', l: value };
    const schema = { $ref: '#/$defs/node', $defs: { node } };
    expect(issuesOf(schema, value)).toHaveLength(1);
  });

  test('a schema that names one part twice, twenty-five times over, stays cheap to read', () => {
    const $defs: Record<string, object> = { d0: { properties: { a: {} } } };
    for (let level = 1; level <= 25; level += 1) {
      const $ref = `#/$defs/d${level - 1}`;
      $defs[`d${level}`] = { if: false, ...then({ allOf: [{ $ref }, { $ref }] }) };
    }
    expect(issuesOf({ $ref: '#/$defs/d25', $defs, properties: {} }, { b: 1 })).toEqual([
      { path: 'b', message: 'is not a known key' },
    ]);
  });

  test('a hundred thousand unknown keys give a hundred issues and a short message', () => {
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]));
    const error = thrownBy(() => parseValue(A, value, { extra: 'forbid' })) as ValidationError;
    expect(error.issues).toHaveLength(100);
    expect(error.message.length).toBeLessThan(400);
    expect(error.message).toContain('and 99995 more');
  });
});
