import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { BOTH } from './support/clis.js';
import { collect, resultTexts, toolResults } from './support/collect.js';
import { expectVersion, setStage } from './support/stage.js';
import { call } from './support/turns.js';

const ADD = { a: z.number(), b: z.number() };

/** The same two tools, once made with our helpers and once registered with the MCP SDK. */
const SERVERS = {
  'createSdkMcpServer()': () =>
    createSdkMcpServer({
      name: 'calc',
      version: '1.0.0',
      tools: [
        tool('add', 'Adds two numbers', ADD, ({ a, b }) => text(String(a + b))),
        tool('fail', 'Fails', {}, () => {
          throw new Error('it failed');
        }),
      ],
    }),
  'a raw McpServer': () => {
    const instance = new McpServer({ name: 'calc', version: '1.0.0' });
    instance.registerTool('add', { description: 'Adds', inputSchema: ADD }, ({ a, b }) => text(String(a + b)));
    instance.registerTool('fail', { description: 'Fails' }, () => {
      throw new Error('it failed');
    });
    return { type: 'sdk', name: 'calc', instance } as const;
  },
};

describe.each(BOTH)('in-process MCP servers, CLI $version', (cli) => {
  for (const [name, makeServer] of Object.entries(SERVERS)) {
    test(`the model calls tools of ${name}: one succeeds, one fails`, async () => {
      const stage = await setStage(cli, {
        turns: [call('mcp__calc__add', { a: 2, b: 3 }), call('mcp__calc__fail'), 'Done.'],
      });
      const { messages, error } = await collect(
        query({
          prompt: 'Add.',
          options: stage.options({ mcpServers: { calc: makeServer() }, allowedTools: ['mcp__calc'] }),
        }),
      );
      expect(error).toBeUndefined();
      expectVersion(stage, messages);
      const init = messages.find((m) => m.type === 'system' && m.subtype === 'init');
      expect(init).toMatchObject({ mcp_servers: [{ name: 'calc', status: 'connected' }] });
      expect(toolResults(messages)).toEqual([
        { text: '5', isError: false },
        { text: expect.stringContaining('it failed'), isError: true },
      ]);
      expect(resultTexts(messages)).toEqual(['Done.']);
      expect(stage.mainCalls()).toHaveLength(3);
    });
  }
});

function text(value: string) {
  return { content: [{ type: 'text' as const, text: value }] };
}
