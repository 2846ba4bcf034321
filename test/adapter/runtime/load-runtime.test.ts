import { expect, test } from 'vitest';
import type { RuntimeQuery } from '../../../src/adapter/runtime/agent-runtime.js';
import { loadRuntime } from '../../../src/adapter/runtime/load-runtime.js';
import { CLINotFoundError } from '../../../src/errors.js';
import type { SDKUserMessage } from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/index.js';

const hello: SDKUserMessage = {
  type: 'user',
  message: { role: 'user', content: 'Hi' },
  parent_tool_use_id: null,
  session_id: '',
};

async function* input(): AsyncGenerator<SDKUserMessage> {
  yield hello;
  await new Promise(() => {});
}

const typesOf = async (query: RuntimeQuery): Promise<string[]> => {
  const types: string[] = [];
  for await (const { type } of query) {
    types.push(type);
    if (type === 'result') query.endInput();
  }
  return types;
};

const isAlive = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

test('a query is the SDK’s: handshake, settings, messages, and an end by itself', async () => {
  await using cli = scriptedCli(({ turn }) => turn('Four.', 'Hi'));
  const runtime = await loadRuntime();
  const query = runtime.query(input(), { ...cli.options, settings: { model: 'm' } });
  await query.initialized();
  expect(await query.getSettings()).toMatchObject({ effective: { model: 'm' } });
  expect(await typesOf(query)).toEqual(['system', 'assistant', 'result']);
  await query.close();
  expect(cli.runs).toMatchObject([{ exitCode: 0, signals: [] }]);
});

test('tools are served as they are described, and get their arguments unchecked', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  const got: unknown[] = [];
  await using cli = scriptedCli(({ mcpHandshake, mcpCall, turn }) => [
    mcpHandshake('wink'),
    mcpCall('wink', 'add', { a: 'no number', b: 1 }, { expect: { content: [{ type: 'text', text: 'ok' }] } }),
    turn('Done.'),
  ]);
  const runtime = await loadRuntime();
  const query = runtime.query(input(), {
    ...cli.options,
    toolServers: [
      {
        name: 'wink',
        version: '1.0.0',
        tools: [
          {
            name: 'add',
            description: 'Adds.',
            inputSchema,
            _meta: { 'anthropic/alwaysLoad': true },
            call: async (args) => {
              got.push(args);
              return { content: [{ type: 'text', text: 'ok' }], isError: false };
            },
          },
        ],
      },
    ],
  });
  await typesOf(query);
  await query.close();
  expect(got).toEqual([{ a: 'no number', b: 1 }]);
  const listing = cli.sent.frames.find((frame) => JSON.stringify(frame).includes('"tools":[{'));
  expect(JSON.stringify(listing)).toContain(JSON.stringify(inputSchema));
  expect(JSON.stringify(listing)).toContain('anthropic/alwaysLoad');
});

test('close() resolves when the process is gone, and an input that waits is left', async () => {
  await using cli = scriptedCli(({ prompt, init, endOfInput, pause, exit }) => [
    prompt(),
    init(),
    endOfInput(),
    pause(200),
    exit(0),
  ]);
  const runtime = await loadRuntime();
  const query = runtime.query(input(), cli.options);
  for await (const _ of query) break;
  await query.close();
  expect(cli.runs.map(({ pid }) => isAlive(pid))).toEqual([false]);
  await query.close();
});

test('an executable is found, or it is not; nothing is started', async () => {
  await using cli = scriptedCli([], { reuse: true });
  const runtime = await loadRuntime();
  const found = await runtime.locateExecutable({ pathToClaudeCodeExecutable: cli.path });
  expect(found).toEqual({ path: cli.path, release: 'newest' });
  const env = { PATH: '/nowhere', HOME: '/nowhere' };
  expect(await runtime.locateExecutable({ pathToClaudeCodeExecutable: '/nowhere/claude', env })).toEqual({
    path: undefined,
    error: expect.any(CLINotFoundError),
  });
  expect(cli.runs).toEqual([]);
  await cli.close().catch(() => {});
});
