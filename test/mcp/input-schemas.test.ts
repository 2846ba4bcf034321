import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import * as mini from 'zod/v4-mini';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { type AnySdkMcpToolDefinition, type ToolInputSchema, tool } from '../../src/mcp/tool.js';
import type { JsonObject } from '../../src/util/json.js';
import { FakeCli, resultOf, textOf } from './fake-cli.js';

const $schema = 'http://json-schema.org/draft-07/schema#';
const text = { type: 'string' };

/** Gives its arguments back. */
function echo(inputSchema: ToolInputSchema): AnySdkMcpToolDefinition {
  const handler = async (args: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(args) }] });
  return tool('echo', 'Echoes', inputSchema, handler as never);
}

/** A Standard Schema of some other library: an object whose `n` is a number, as a string or a number. */
function foreign(jsonSchema?: () => JsonObject) {
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'other',
      validate: async (value: unknown) => {
        const n = Number((value as { n: unknown }).n);
        return Number.isNaN(n) ? { issues: [{ message: 'n is no number', path: [{ key: 'n' }] }] } : { value: { n } };
      },
      ...(jsonSchema ? { jsonSchema: { input: jsonSchema } } : {}),
    },
  };
}

const foreignJson = { type: 'object', properties: { n: { type: 'number' } } };

const schemas: { name: string; schema: ToolInputSchema; json: JsonObject }[] = [
  { name: 'undefined', schema: undefined, json: { type: 'object', properties: {} } },
  {
    name: 'a shape of zod 4 with bounds that are none',
    schema: { n: z.number().max(Number.POSITIVE_INFINITY), t: z.string().max(Number.POSITIVE_INFINITY) },
    json: { $schema, type: 'object', properties: { n: { type: 'number' }, t: text }, required: ['n', 't'] },
  },
  { name: 'an empty shape', schema: {}, json: { $schema, type: 'object', properties: {} } },
  {
    name: 'a zod 4 shape',
    schema: { a: z.string().describe('An a'), b: z.number().optional(), c: z.boolean().default(true) },
    json: {
      $schema,
      type: 'object',
      properties: {
        a: { type: 'string', description: 'An a' },
        b: { type: 'number' },
        c: { default: true, type: 'boolean' },
      },
      required: ['a'],
    },
  },
  {
    name: 'a zod 4 mini shape',
    schema: { a: mini.string(), b: mini.optional(mini.string()) },
    json: { $schema, type: 'object', properties: { a: text, b: text }, required: ['a'] },
  },
  {
    name: 'a zod 3 shape',
    schema: { a: z3.string().describe('An a'), n: z3.number().int().default(1) },
    json: {
      $schema,
      type: 'object',
      properties: { a: { type: 'string', description: 'An a' }, n: { type: 'integer', default: 1 } },
      required: ['a'],
      additionalProperties: false,
    },
  },
  {
    name: 'a zod 4 object',
    schema: z.object({ a: z.string() }),
    json: { $schema, type: 'object', properties: { a: text }, required: ['a'] },
  },
  {
    name: 'a strict zod 4 object',
    schema: z.strictObject({ a: z.string() }),
    json: { $schema, type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false },
  },
  {
    name: 'a loose zod 4 object',
    schema: z.looseObject({ a: z.string() }),
    json: { $schema, type: 'object', properties: { a: text }, required: ['a'], additionalProperties: {} },
  },
  {
    name: 'a zod 3 object',
    schema: z3.object({ a: z3.string() }),
    json: { $schema, type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false },
  },
  {
    name: 'zod 4 types of all sorts',
    schema: {
      int: z.int(),
      url: z.url(),
      nullable: z.string().nullable(),
      literal: z.literal('x'),
      enum: z.enum(['p', 'q']),
      tagged: z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2) })]),
      piped: z.string().transform(Number),
    },
    json: {
      $schema,
      type: 'object',
      properties: {
        int: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        url: { type: 'string', format: 'uri' },
        nullable: expect.anything(),
        literal: { type: 'string', const: 'x' },
        enum: { type: 'string', enum: ['p', 'q'] },
        tagged: { oneOf: [expect.anything(), expect.anything()] },
        piped: { type: 'string' },
      },
      required: ['int', 'url', 'nullable', 'literal', 'enum', 'tagged', 'piped'],
    },
  },
  {
    name: 'a zod 4 schema that is no plain object',
    schema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    json: { $schema, anyOf: [expect.anything(), expect.anything()], type: 'object' },
  },
  { name: 'a Standard Schema that describes itself', schema: foreign(() => foreignJson), json: foreignJson },
  {
    name: 'a plain JSON Schema (PY-171)',
    schema: { type: 'object', properties: { a: { type: 'string', minLength: 2 } }, required: ['a'] },
    json: { type: 'object', properties: { a: { type: 'string', minLength: 2 } }, required: ['a'] },
  },
];

describe('schemas in tools/list (TS-147)', () => {
  for (const { name, schema, json } of schemas) {
    test(`${name}, from the table`, async () => {
      const server = createSdkMcpServer({ name: 's', tools: [echo(schema)] });
      const [shown] = await listed(new FakeCli(createMcpEndpointFactory(server)));
      expect(shown!.inputSchema).toEqual(json);
      if (json.$schema !== undefined) {
        // Where the converter of each version writes it, and the official SDK leaves it.
        const place = name.includes('zod 3') ? -1 : 0;
        expect(Object.keys(shown!.inputSchema as object).at(place)).toBe('$schema');
      }
    });
  }

  for (const { name, schema, json } of schemas) {
    // The MCP SDK shows these as it does: no arguments for what is no object, `$schema` on all else.
    if (name.includes('no plain object')) continue;
    test(`${name}, through the instance`, async () => {
      const server = createSdkMcpServer({ name: 's', tools: [echo(schema)] });
      const [shown] = await listed(new FakeCli(createMcpEndpointFactory({ ...server })));
      expect(shown!.inputSchema).toMatchObject(json);
    });
  }
});

describe('schemas in tools/call', () => {
  const json: ToolInputSchema = {
    type: 'object',
    properties: { a: { type: 'string', format: 'email' }, n: { type: 'integer', default: 5 } },
    required: ['a'],
  };
  const latest: ToolInputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { pair: { prefixItems: [{ type: 'string' }, { type: 'number' }] } },
  };
  const calls: { name: string; schema: ToolInputSchema; args: JsonObject; gets: unknown }[] = [
    { name: 'an empty shape', schema: {}, args: { x: 1 }, gets: {} },
    { name: 'zod 4', schema: { a: z.coerce.number() }, args: { a: '1', x: 1 }, gets: { a: 1 } },
    { name: 'zod 4 mini', schema: { a: mini.string() }, args: { a: 's', x: 1 }, gets: { a: 's' } },
    { name: 'zod 3', schema: { a: z3.number().default(2) }, args: { x: 1 }, gets: { a: 2 } },
    { name: 'a zod 3 object', schema: z3.object({ a: z3.number() }), args: { a: 1 }, gets: { a: 1 } },
    {
      name: 'an asynchronous refinement',
      schema: { a: z.string().refine(async (s) => s === 'ok') },
      args: { a: 'ok' },
      gets: { a: 'ok' },
    },
    { name: 'a Standard Schema', schema: foreign(() => foreignJson), args: { n: '4' }, gets: { n: 4 } },
    { name: 'JSON Schema with a default', schema: json, args: { a: 'a@b.de' }, gets: { a: 'a@b.de', n: 5 } },
    { name: 'JSON Schema 2020-12', schema: latest, args: { pair: ['x', 1] }, gets: { pair: ['x', 1] } },
  ];
  const refusals: { name: string; schema: ToolInputSchema; args: JsonObject; says: RegExp }[] = [
    { name: 'zod 4', schema: { a: z.string() }, args: { a: 1 }, says: /expected string/ },
    { name: 'zod 3', schema: { a: z3.string() }, args: { a: 1 }, says: /Expected string/ },
    {
      name: 'an asynchronous refinement',
      schema: { a: z.string().refine(async () => false, 'never good') },
      args: { a: 'x' },
      says: /never good/,
    },
    { name: 'a Standard Schema', schema: foreign(() => foreignJson), args: { n: 'x' }, says: /n is no number/ },
    { name: 'JSON Schema', schema: json, args: { a: 'x' }, says: /must match format/ },
    { name: 'JSON Schema 2020-12', schema: latest, args: { pair: [1] }, says: /must be string/ },
  ];
  for (const [kind, copy] of [
    ['from the table', (server: object) => server],
    ['through the instance', (server: object) => ({ ...server })],
  ] as const) {
    const open = (schema: ToolInputSchema) =>
      new FakeCli(createMcpEndpointFactory(copy(createSdkMcpServer({ name: 's', tools: [echo(schema)] })) as never));
    for (const { name, schema, args, gets } of calls) {
      test(`${name}: the handler gets what the schema makes of it, ${kind}`, async () => {
        const sent = structuredClone(args);
        const result = await resultOf(open(schema).call('echo', args));
        expect(JSON.parse(textOf(result))).toEqual(gets);
        expect(args, 'the frame as it came').toEqual(sent);
      });
    }
    for (const { name, schema, args, says } of refusals) {
      test(`${name}: bad arguments do not reach the handler, ${kind} (PY-185)`, async () => {
        const result = await resultOf(open(schema).call('echo', args));
        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/^MCP error -32602: Input validation error: Invalid arg/);
        expect(textOf(result)).toMatch(says);
        expect(textOf(result)).not.toContain('[object Object]');
      });
    }
  }

  test('a schema that throws while it checks gives an error result', async () => {
    const throws = {
      a: z.string().refine(() => {
        throw new Error('check failed');
      }),
    };
    const cli = new FakeCli(createMcpEndpointFactory(createSdkMcpServer({ name: 's', tools: [echo(throws)] })));
    const result = await resultOf(cli.call('echo', { a: 'x' }));
    expect(result).toMatchObject({ isError: true, content: [{ text: 'check failed' }] });
  });
});

describe('a schema without a JSON form (TS-146)', () => {
  const unconvertible: { name: string; schema: ToolInputSchema; reason: RegExp }[] = [
    { name: 'Date', schema: { a: z.date() }, reason: /zod 4.*Date/ },
    { name: 'BigInt', schema: { a: z.bigint() }, reason: /zod 4/ },
    { name: 'Map', schema: { a: z.map(z.string(), z.string()) }, reason: /zod 4/ },
    { name: 'a bare transform', schema: { a: z.transform(String) }, reason: /zod 4/ },
    { name: 'a date inside a zod object', schema: z.object({ a: z.date() }), reason: /zod 4/ },
    { name: 'a schema for strings', schema: z.string(), reason: /for "string"/ },
    { name: 'a Standard Schema without one', schema: foreign(), reason: /\(other\) offers no/ },
    {
      name: 'a Standard Schema that cannot tell',
      schema: foreign(() => {
        throw new Error('cannot say');
      }),
      reason: /cannot say/,
    },
  ];
  for (const [kind, copy] of [
    ['from the table', (server: object) => server],
    ['through the instance', (server: object) => ({ ...server })],
  ] as const) {
    for (const { name, schema, reason } of unconvertible) {
      test(`${name}: the tool is left out with one warning, the others stay, ${kind}`, async () => {
        const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
        const bad = { ...echo(schema), name: 'bad' };
        // A name of its own: a process hears of one tool once.
        const server = createSdkMcpServer({ name: `srv ${kind} ${name}`, tools: [bad, echo({})] });
        const cli = new FakeCli(createMcpEndpointFactory(copy(server) as never));
        expect((await listed(cli)).map((shown) => shown.name)).toEqual(['echo']);
        const result = await resultOf(cli.call('bad', { a: 1 }));
        expect(result).toEqual({
          content: [{ type: 'text', text: 'MCP error -32602: Tool bad disabled' }],
          isError: true,
        });
        await new FakeCli(createMcpEndpointFactory(server)).request('tools/list');
        expect(warn.mock.calls).toEqual([
          [expect.stringMatching(reason), { code: 'CLAUDE_SDK_MCP_TOOL_SCHEMA_UNCONVERTIBLE' }],
        ]);
        expect(warn.mock.calls[0]![0]).toContain(`Tool "bad" of MCP server "srv ${kind} ${name}"`);
        warn.mockRestore();
      });
    }
  }
});

async function listed(cli: FakeCli): Promise<JsonObject[]> {
  const result = await resultOf(cli.request('tools/list'));
  return JSON.parse(JSON.stringify(result.tools)) as JsonObject[];
}
