import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { checkCallToolResult } from '../../src/mcp/call-tool-result.js';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { type AnySdkMcpToolDefinition, tool } from '../../src/mcp/tool.js';
import type { ToolCallExtra } from '../../src/mcp/tool-call.js';
import { createDeferred } from '../../src/util/deferred.js';
import { createGate, FakeCli, resultOf, textOf } from './fake-cli.js';

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const open = (...tools: AnySdkMcpToolDefinition[]) =>
  new FakeCli(createMcpEndpointFactory(createSdkMcpServer({ name: 's', tools })));

describe('time limits', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a call past timeoutMs gets an error result and its signal aborts', async () => {
    const gate = createGate();
    const cli = open(tool('slow', 'slow', undefined, gate.handler, { timeoutMs: 1000 }));
    const call = resultOf(cli.call('slow'));
    const signal = await gate.started;
    await vi.advanceTimersByTimeAsync(999);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toEqual({ ...say('Tool slow timed out after 1000 ms'), isError: true });
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
    expect(vi.getTimerCount()).toBe(0);
  });

  for (const timeoutMs of [0, 2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY]) {
    test(`timeoutMs ${timeoutMs} is no limit`, async () => {
      const gate = createGate();
      const cli = open(tool('slow', 'slow', undefined, gate.handler, { timeoutMs }));
      const call = cli.call('slow');
      await gate.started;
      expect(vi.getTimerCount()).toBe(0);
      gate.open('in the end');
      expect(textOf(await resultOf(call))).toBe('in the end');
    });
  }

  test('a call that ends in time leaves no timer', async () => {
    const cli = open(tool('quick', 'quick', {}, async () => say('x'), { timeoutMs: 1000 }));
    await cli.call('quick');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a cancelled call leaves no timer', async () => {
    const gate = createGate();
    const cli = open(tool('slow', 'slow', undefined, gate.handler, { timeoutMs: 1000 }));
    const call = cli.call('slow', {}, 1);
    await gate.started;
    await cli.notify('notifications/cancelled', { requestId: 1 });
    await call;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a request of a tool that is answered leaves no timer', async () => {
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      await extra.sendRequest({ method: 'ping' }, z.object({}));
      return say('');
    });
    const cli = open(asks);
    const call = cli.call('asks');
    const { id } = await cli.sentMessage('ping');
    await cli.receive({ jsonrpc: '2.0', id, result: {} });
    await call;
    expect(vi.getTimerCount()).toBe(0);
  });

  for (const timeout of [2 ** 31, 2 ** 40]) {
    test(`a request of a tool with a timeout of ${timeout} ms has no limit`, async () => {
      const asks = tool('asks', 'asks', {}, async (_args, extra) => {
        await extra.sendRequest({ method: 'ping' }, z.object({}), { timeout });
        return say('answered');
      });
      const cli = open(asks);
      const call = cli.call('asks');
      const { id } = await cli.sentMessage('ping');
      expect(vi.getTimerCount()).toBe(0);
      await cli.receive({ jsonrpc: '2.0', id, result: {} });
      expect(textOf(await resultOf(call))).toBe('answered');
    });
  }

  test('a request of a tool that nobody answers is given up after its timeout and cancelled', async () => {
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      const error = await extra
        .sendRequest({ method: 'ping' }, z.object({}), { timeout: 500 })
        .catch((reason: { code: number }) => reason);
      return say(String((error as { code: number }).code));
    });
    const cli = open(asks);
    const call = cli.call('asks');
    const { id } = await cli.sentMessage('ping');
    await vi.advanceTimersByTimeAsync(500);
    expect(textOf(await resultOf(call))).toBe('-32001');
    expect(await cli.sentMessage('notifications/cancelled')).toMatchObject({ params: { requestId: id } });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what a handler gets', () => {
  test('its request id, the call’s _meta and a signal that survives a spread', async () => {
    const got = createDeferred<ToolCallExtra>();
    const spy = tool('spy', 'spy', {}, async (_args, extra) => {
      got.resolve({ ...extra });
      return say('');
    });
    await open(spy).call('spy', {}, 'id-1', { progressToken: 3, 'claudecode/toolUseId': 't' });
    const extra = await got.promise;
    expect(extra).toMatchObject({ requestId: 'id-1', _meta: { progressToken: 3, 'claudecode/toolUseId': 't' } });
    expect(extra.signal.aborted).toBe(false);
  });

  test('the tool definition as this', async () => {
    const counter = {
      ...tool('count', 'count', {}, async () => say('')),
      count: 41,
      async handler() {
        return say(String(++this.count));
      },
    };
    expect(textOf(await resultOf(open(counter).call('count')))).toBe('42');
  });

  test('a signal that is aborted already when it looks after the cancellation', async () => {
    const cancelled = createDeferred<void>();
    const started = createDeferred<void>();
    const seen = createDeferred<boolean>();
    const late = tool('late', 'late', {}, async (_args, extra) => {
      started.resolve();
      await cancelled.promise;
      await extra.sendNotification({ method: 'notifications/progress', params: {} });
      seen.resolve(extra.signal.aborted);
      return say('');
    });
    const cli = open(late);
    const call = cli.call('late', {}, 1);
    await started.promise;
    await cli.notify('notifications/cancelled', { requestId: 1 });
    cancelled.resolve();
    expect(await seen.promise).toBe(true);
    expect(await call).toBeUndefined();
    expect(cli.sent).toEqual([]);
  });

  test('no answer for a withdrawn call whose handler never looked at its signal', async () => {
    const withdrawn = createDeferred<void>();
    const deaf = tool('deaf', 'deaf', {}, async () => {
      await withdrawn.promise;
      return say('too late');
    });
    const cli = open(deaf);
    const control = new AbortController();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'deaf' } };
    const call = cli.receive(message, control.signal);
    control.abort();
    withdrawn.resolve();
    expect(await call).toBeUndefined();
  });

  test('a rejection of its requests when the call is cancelled, and the CLI hears of it', async () => {
    const failed = createDeferred<unknown>();
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      await extra.sendRequest({ method: 'ping' }, z.object({})).catch(failed.resolve);
      return say('');
    });
    const cli = open(asks);
    const call = cli.call('asks', {}, 1);
    const { id } = await cli.sentMessage('ping');
    await cli.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
    expect(await call).toBeUndefined();
    expect(await failed.promise).toMatchObject({ code: -32000, message: expect.stringContaining('enough') });
    expect(cli.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  });

  test('a rejection when its own signal for a request fires, and the CLI hears of it', async () => {
    const giveUp = new AbortController();
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      const options = { signal: giveUp.signal };
      const reason = await extra
        .sendRequest({ method: 'ping' }, z.object({}), options)
        .catch((error: Error) => error.message);
      const again = await extra
        .sendRequest({ method: 'ping' }, z.object({}), options)
        .catch((error: Error) => error.message);
      return say(`${reason} ${again}`);
    });
    const cli = open(asks);
    const call = cli.call('asks');
    await cli.sentMessage('ping');
    giveUp.abort('stop');
    expect(textOf(await resultOf(call))).toBe('MCP error -32000: stop MCP error -32000: stop');
    expect(cli.sent.map((message) => message.method)).toEqual(['ping', 'notifications/cancelled']);
  });

  test('a rejection when the answer of the CLI does not fit the schema', async () => {
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      const answer = await extra.sendRequest({ method: 'ping' }, z.object({ n: z.number() }));
      return say(String(answer.n));
    });
    const cli = open(asks);
    const call = cli.call('asks');
    const { id } = await cli.sentMessage('ping');
    await cli.receive({ jsonrpc: '2.0', id, result: { n: 'x' } });
    const result = await resultOf(call);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('Invalid result of ping');
  });
});

test('a tool that asks for a URL elicitation fails as a JSON-RPC error with its data', async () => {
  const needsLogin = tool('login', 'login', {}, async () => {
    throw Object.assign(new Error('log in first'), { code: -32042, data: { elicitations: [] } });
  });
  expect(await open(needsLogin).call('login', {}, 1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32042, message: 'log in first', data: { elicitations: [] } },
  });
});

test('a server with an empty list of tools has neither tools/list nor tools/call (D-6)', async () => {
  expect(await open().call('any', {}, 1)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32601, message: 'Method not found' },
  });
});

test.each([
  ['notifications/message', 'logging'],
  ['notifications/resources/updated', 'resources'],
])('%s is not sent by a server without %s (D-6)', async (method, capability) => {
  const logs = tool('logs', 'logs', {}, async (_, extra) => {
    await (extra as ToolCallExtra).sendNotification({ method, params: {} });
    return { content: [] };
  });
  const answer = await resultOf(open(logs).call('logs'));
  expect(textOf(answer)).toContain(`does not declare the capability ${capability}`);
});

for (const name of ['constructor', '__proto__', 'toString']) {
  test(`a tool called ${name} that does not exist is unknown`, async () => {
    const other = tool('other', 'other', {}, async () => ({ content: [] }));
    expect(textOf(await resultOf(open(other).call(name)))).toBe(`MCP error -32602: Tool ${name} not found`);
  });
}

test('arguments whose issues cannot be written as JSON are refused all the same', async () => {
  const schema = {
    '~standard': {
      version: 1 as const,
      vendor: 'other',
      validate: () => ({ issues: [{ message: 'too big', value: 1n }] }),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  };
  const result = await resultOf(open(tool('t', 't', schema, async () => say(''))).call('t', {}));
  expect(result).toMatchObject({ isError: true, content: [{ text: /too big$/ }] });
});

describe('checkCallToolResult', () => {
  const leaf = fc.oneof(
    fc.string(),
    fc.constantFrom('aGk=', 'aGkh', 'a', '====', 'YQ==', 'Y Q = ='),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant({}),
    fc.constant([]),
  );
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'image', 'audio', 'resource_link', 'resource', 'other'),
      text: leaf,
      data: leaf,
      mimeType: fc.oneof({ weight: 3, arbitrary: fc.string() }, { weight: 1, arbitrary: leaf }),
      uri: fc.oneof({ weight: 3, arbitrary: fc.string() }, { weight: 1, arbitrary: leaf }),
      name: fc.oneof({ weight: 3, arbitrary: fc.string() }, { weight: 1, arbitrary: leaf }),
      size: leaf,
      resource: fc.oneof(
        leaf,
        fc.record({ uri: fc.string(), text: leaf }, { requiredKeys: [] }),
        fc.record({ uri: fc.string(), blob: leaf }, { requiredKeys: [] }),
      ),
      annotations: fc.oneof(
        leaf,
        fc.record(
          { audience: fc.array(fc.constantFrom('user', 'assistant', 'x')), priority: fc.float() },
          { requiredKeys: [] },
        ),
      ),
      unknown: leaf,
    },
    { requiredKeys: ['type'] },
  );
  const result = fc.oneof(
    leaf,
    fc.record(
      {
        content: fc.oneof({ weight: 4, arbitrary: fc.array(block) }, { weight: 1, arbitrary: leaf }),
        isError: fc.oneof(fc.boolean(), leaf),
        structuredContent: leaf,
        extra: leaf,
      },
      { requiredKeys: [] },
    ),
  );

  test('takes and refuses what the MCP SDK takes and refuses, and gives the same result', () => {
    fc.assert(
      fc.property(result, (value) => {
        const theirs = CallToolResultSchema.safeParse(value);
        const ours = checkCallToolResult(value);
        expect('result' in ours).toBe(theirs.success);
        if ('result' in ours) expect(ours.result).toEqual(theirs.data);
        else expect(ours.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });
});

test('what a handler throws is reported as it is; a refused argument is no throw of the handler', async () => {
  const boom = new Error('boom');
  const cli = open(
    tool('fails', 'fails', { n: z.number() }, async () => {
      throw boom;
    }),
  );
  await cli.call('fails', { n: 'x' });
  expect(cli.thrown).toEqual([]);
  await cli.call('fails', { n: 1 });
  expect(cli.thrown).toEqual([{ tool: 'fails', error: boom }]);
});

test('what is no result of a tool is reported with the tool', async () => {
  const cli = open(tool('odd', '', undefined, async () => ({ content: [{ type: 'video' }, 5] }) as never));
  await cli.call('odd');
  const problem = "`type` must be 'text', 'image', 'audio', 'resource' or 'resource_link', got string \"video\"";
  expect(cli.invalid).toEqual([{ tool: 'odd', problem: `${problem}; \`content\` must be a block, got number 5` }]);
});
