import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult as OfficialResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import * as mini from 'zod/v4-mini';
import { InvalidOptionError } from '../../src/errors.js';
import type { CallToolResult } from '../../src/mcp/call-tool-result.js';
import type { McpSdkServerConfigWithInstance } from '../../src/mcp/mcp-server-config.js';
import type { SdkMcpServerInstance } from '../../src/mcp/server-instance.js';
import { type AnySdkMcpToolDefinition, tool } from '../../src/mcp/tool.js';
import type { ToolCallExtra } from '../../src/mcp/tool-call.js';

const nothing = { content: [] };

describe('tool', () => {
  test('returns the definition with the fields of the official SDK', () => {
    const shape = { a: z.string() };
    const handler = async () => nothing;
    expect(tool('t', 'does t', shape, handler)).toEqual({
      name: 't',
      description: 'does t',
      inputSchema: shape,
      handler,
      annotations: undefined,
      _meta: undefined,
    });
  });

  const extras = [
    { given: { searchHint: 'find me' }, meta: { 'anthropic/searchHint': 'find me' } },
    { given: { alwaysLoad: true }, meta: { 'anthropic/alwaysLoad': true } },
    { given: { alwaysLoad: false, searchHint: '' }, meta: undefined },
    {
      given: { _meta: { own: 1, 'anthropic/searchHint': 'old' }, searchHint: 'new' },
      meta: { own: 1, 'anthropic/searchHint': 'new' },
    },
  ];
  for (const { given, meta } of extras) {
    test(`${JSON.stringify(given)} becomes _meta ${JSON.stringify(meta)}`, () => {
      expect(tool('t', 't', {}, async () => nothing, given)._meta).toEqual(meta);
    });
  }

  const handler = async () => nothing;
  const refused: { name: string; make: () => unknown; option: string; message: RegExp }[] = [
    { name: 'an empty name', make: () => tool('', 't', {}, handler), option: 'tool.name', message: /needs a name/ },
    {
      name: 'a handler that is no function',
      make: () => tool('t', 't', {}, 'x' as never),
      option: 'tool.handler',
      message: /handler function, got string "x"/,
    },
    {
      name: 'a time-out that is no number',
      make: () => tool('t', 't', {}, handler, { timeoutMs: '5' as never }),
      option: 'tool.timeoutMs',
      message: /milliseconds/,
    },
    {
      name: 'a negative time-out',
      make: () => tool('t', 't', {}, handler, { timeoutMs: -1 }),
      option: 'tool.timeoutMs',
      message: /milliseconds/,
    },
    {
      name: 'a schema that is a string',
      make: () => tool('t', 't', 'x' as never, handler),
      option: 'tool.inputSchema',
      message: /got string "x"/,
    },
    {
      name: 'a shape that mixes zod 3 and zod 4 (TS-148)',
      make: () => tool('t', 't', { a: z.string(), b: z3.string() }, handler),
      option: 'tool.inputSchema',
      message: /mixes zod 3 and zod 4/,
    },
    {
      name: 'a shape with a field that is no schema',
      make: () => tool('t', 't', { a: z.string(), b: 'string' } as never, handler),
      option: 'tool.inputSchema',
      message: /others are not/,
    },
    {
      name: 'a shape of schemas of another library',
      make: () => tool('t', 't', { a: { '~standard': { validate() {} } } } as never, handler),
      option: 'tool.inputSchema',
      message: /wrap "a"/,
    },
    {
      name: 'a schema of a zod before Standard Schema',
      make: () => tool('t', 't', { _def: {}, safeParse() {} } as never, handler),
      option: 'tool.inputSchema',
      message: /older than 3.25/,
    },
  ];
  for (const { name, make, option, message } of refused) {
    test(`${name} is refused at once`, () => {
      expect(make).toThrow(InvalidOptionError);
      expect(make).toThrow(expect.objectContaining({ option, message: expect.stringMatching(message) }));
    });
  }
});

describe('types of tool', () => {
  test('the arguments are inferred from each kind of schema', () => {
    tool('t', 't', { a: z.string(), b: z.number().optional(), c: z.number().default(1) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; b: number | undefined; c: number }>();
      return nothing;
    });
    tool('t', 't', { a: z3.string(), n: z3.number().array() }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string; n: number[] }>();
      return nothing;
    });
    tool('t', 't', { a: mini.string() }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: string }>();
      return nothing;
    });
    tool('t', 't', z.object({ a: z.string().transform(Number) }), (args) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number }>();
      return nothing;
    });
    tool('t', 't', { type: 'object', properties: { a: { type: 'string' } } }, (args) => {
      expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
      return nothing;
    });
    tool('t', 't', {}, (args, extra) => {
      // biome-ignore lint/complexity/noBannedTypes: the very type that is inferred
      expectTypeOf(args).toEqualTypeOf<{}>();
      expectTypeOf(extra).toEqualTypeOf<ToolCallExtra>();
      return nothing;
    });
    tool('t', 't', undefined, (extra) => {
      expectTypeOf(extra).toEqualTypeOf<ToolCallExtra>();
      return nothing;
    });
  });

  test('tools of different schemas fit in one list', () => {
    expectTypeOf([
      tool('a', 'a', { a: z.string() }, async () => nothing),
      tool('b', 'b', undefined, async () => nothing),
    ]).toExtend<AnySdkMcpToolDefinition[]>();
  });

  test('a handler written for the official SDK fits', () => {
    tool('t', 't', { a: z.string() }, async (_args: { a: string }, _extra: unknown) => nothing);
    tool('t', 't', {}, async (): Promise<OfficialResult> => ({ content: [] }));
    expectTypeOf<OfficialResult>().toExtend<CallToolResult>();
  });

  test('an McpServer of the MCP SDK fits as an instance', () => {
    expectTypeOf<McpServer>().toExtend<SdkMcpServerInstance>();
    expectTypeOf<{ type: 'sdk'; name: string; instance: McpServer }>().toExtend<McpSdkServerConfigWithInstance>();
  });
});
