import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { McpEndpointFactory } from '../../src/control/mcp-endpoint.js';
import { type AnySdkMcpToolDefinition, tool } from '../../src/mcp/tool.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { createGate, errorOf, FakeCli, resultOf, textOf } from './fake-cli.js';

export interface ContractServer {
  readonly name: string;
  readonly instructions?: string;
  /** Absent: a server without the tools capability. */
  readonly tools?: AnySdkMcpToolDefinition[];
}

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const add = tool(
  'add',
  'Adds two numbers',
  { a: z.number(), b: z.number().default(10) },
  async ({ a, b }) => say(String(a + b)),
  { annotations: { readOnlyHint: true }, searchHint: 'sum', alwaysLoad: true },
);

const returns = (name: string, value: unknown) => tool(name, name, {}, async () => value as { content: [] });

/** What every `McpEndpoint` owes, whichever way it runs. `factoryOf` makes equivalent servers. */
export function describeEndpointContract(
  kind: string,
  factoryOf: (server: ContractServer) => McpEndpointFactory,
): void {
  const open = (...tools: AnySdkMcpToolDefinition[]) => new FakeCli(factoryOf({ name: 'calc', tools }));

  describe(`McpEndpoint, ${kind}`, () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      test(`initialize echoes protocol version ${version} (TS-141, PY-161)`, async () => {
        const result = await resultOf(open(add).initialize({ protocolVersion: version }));
        expect(result).toMatchObject({
          protocolVersion: version,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'calc', version: '1.0.0' },
        });
      });
    }

    test('initialize answers an unknown protocol version with the newest (TS-141)', async () => {
      const result = await resultOf(open(add).initialize({ protocolVersion: '1999-01-01' }));
      expect(result.protocolVersion).toBe('2025-11-25');
    });

    test('initialize carries the instructions', async () => {
      const cli = new FakeCli(factoryOf({ name: 'calc', instructions: 'Count.', tools: [add] }));
      expect(await resultOf(cli.initialize())).toMatchObject({ instructions: 'Count.' });
    });

    test('a repeated initialize leaves a running call alone (PY-194)', async () => {
      const gate = createGate();
      const cli = open(tool('wait', 'Waits', undefined, gate.handler));
      const call = cli.call('wait');
      await gate.started;
      await resultOf(cli.initialize());
      gate.open('done');
      expect(textOf(await resultOf(call))).toBe('done');
    });

    test('ping and tools/list work before initialize (PY-163)', async () => {
      const cli = open(add);
      expect(await cli.request('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
      expect(await resultOf(cli.request('tools/list'))).toHaveProperty('tools.0.name', 'add');
    });

    test('tools/list shows schema, annotations, _meta and execution in definition order (TS-135, PY-167)', async () => {
      const result = await resultOf(open(add, returns('zero', {})).request('tools/list'));
      expect(JSON.parse(JSON.stringify(result))).toEqual({
        tools: [
          {
            name: 'add',
            description: 'Adds two numbers',
            inputSchema: {
              $schema: 'http://json-schema.org/draft-07/schema#',
              type: 'object',
              properties: { a: { type: 'number' }, b: { default: 10, type: 'number' } },
              required: ['a'],
            },
            annotations: { readOnlyHint: true },
            execution: { taskSupport: 'forbidden' },
            _meta: { 'anthropic/searchHint': 'sum', 'anthropic/alwaysLoad': true },
          },
          {
            name: 'zero',
            description: 'zero',
            inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} },
            execution: { taskSupport: 'forbidden' },
          },
        ],
      });
    });

    for (const id of [0, 7, '', 'abc']) {
      test(`tools/call answers under the id ${JSON.stringify(id)} (TS-136, PY-164)`, async () => {
        expect(await open(add).call('add', { a: 1, b: 2 }, id)).toEqual({ jsonrpc: '2.0', id, result: say('3') });
      });
    }

    test('arguments get their defaults and lose unknown keys', async () => {
      const seen = createDeferred<unknown>();
      const spy = tool('spy', 'Spies', add.inputSchema, async (args) => {
        seen.resolve(args);
        return say('ok');
      });
      await open(spy).call('spy', { a: 1, other: true });
      expect(await seen.promise).toEqual({ a: 1, b: 10 });
    });

    test('a tool without a schema is called with extra alone, arguments or not (PY-186)', async () => {
      const bare = tool('bare', 'Bare', undefined, async (extra) =>
        say(`${extra.signal.aborted} ${extra._meta?.['claudecode/toolUseId']}`),
      );
      const cli = open(bare);
      const params = { name: 'bare', _meta: { 'claudecode/toolUseId': 'toolu_1' } };
      expect(textOf(await resultOf(cli.request('tools/call', params)))).toBe('false toolu_1');
    });

    test('structuredContent, _meta and unknown keys of a result pass; a missing content becomes []', async () => {
      const cli = open(returns('odd', { structuredContent: { n: 1 }, _meta: { m: 2 }, other: 3 }));
      expect(await resultOf(cli.call('odd'))).toEqual({
        content: [],
        structuredContent: { n: 1 },
        _meta: { m: 2 },
        other: 3,
      });
    });

    test('every kind of content block passes, in wire order, without unknown keys', async () => {
      const cli = open(
        returns('blocks', {
          content: [
            { text: 'b', type: 'text', annotations: { priority: 1, audience: ['user'] }, x: 1 },
            { type: 'image', data: 'aGk=', mimeType: 'image/png', _meta: { k: 1 } },
            { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
            { type: 'resource', resource: { uri: 'a:b', text: 'hi' } },
            { type: 'resource', resource: { uri: 'a:b', blob: 'aGk=' } },
            { type: 'resource_link', uri: 'a:b', name: 'n', size: 3 },
          ],
        }),
      );
      const { content } = await resultOf(cli.call('blocks'));
      expect(JSON.parse(JSON.stringify(content))).toEqual([
        { type: 'text', text: 'b', annotations: { priority: 1, audience: ['user'] } },
        { type: 'image', data: 'aGk=', mimeType: 'image/png', _meta: { k: 1 } },
        { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'a:b', text: 'hi' } },
        { type: 'resource', resource: { uri: 'a:b', blob: 'aGk=' } },
        { type: 'resource_link', uri: 'a:b', name: 'n', size: 3 },
      ]);
    });

    const thrown = [
      { what: new Error('boom'), text: 'boom' },
      { what: 'a string', text: 'a string' },
      { what: 42, text: '42' },
    ];
    for (const { what, text } of thrown) {
      test(`a handler that throws ${String(what)} gives an error result (TS-137, PY-182)`, async () => {
        const fails = tool('fails', 'Fails', {}, () => {
          throw what;
        });
        expect(await resultOf(open(fails).call('fails'))).toEqual({ ...say(text), isError: true });
      });
    }

    const refused = [
      { name: 'a wrong argument', call: ['add', { a: 'x' }], text: /-32602[\s\S]*\ba\b/ },
      { name: 'a missing argument', call: ['add', {}], text: /-32602/ },
      { name: 'an unknown tool', call: ['nope', {}], text: /-32602: Tool nope not found/ },
    ] as const;
    for (const { name, call, text } of refused) {
      test(`${name} gives an error result that mentions -32602 (TS-138, PY-184)`, async () => {
        const result = await resultOf(open(add).call(call[0], call[1]));
        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(text);
      });
    }

    const invalid: { name: string; value: unknown }[] = [
      { name: 'nothing', value: undefined },
      { name: 'null', value: null },
      { name: 'a string', value: 'text' },
      { name: 'a content that is no list', value: { content: 'x' } },
      { name: 'a block of an unknown type', value: { content: [{ type: 'video' }] } },
      { name: 'a text block without text', value: { content: [{ type: 'text' }] } },
      {
        name: 'an image that is not base64',
        value: { content: [{ type: 'image', data: '%', mimeType: 'image/png' }] },
      },
      { name: 'an isError that is no boolean', value: { content: [], isError: 'yes' } },
      { name: 'a structuredContent that is no object', value: { structuredContent: 5 } },
      { name: 'a resource without content', value: { content: [{ type: 'resource', resource: { uri: 'a:b' } }] } },
      { name: 'a priority above 1', value: { content: [{ type: 'text', text: 'x', annotations: { priority: 2 } }] } },
    ];
    for (const { name, value } of invalid) {
      test(`a handler that returns ${name} gives a JSON-RPC error -32602 (TS-139)`, async () => {
        expect(await errorOf(open(returns('odd', value)).call('odd'))).toMatchObject({
          code: -32602,
          message: expect.stringContaining('Invalid tools/call result'),
        });
      });
    }

    const failing: { name: string; method: string; params?: unknown; code: number }[] = [
      { name: 'an unknown method', method: 'what/ever', code: -32601 },
      { name: 'a capability the server lacks', method: 'resources/list', code: -32601 },
      { name: 'a call without a name', method: 'tools/call', params: {}, code: -32603 },
      { name: 'a call without params', method: 'tools/call', code: -32603 },
      {
        name: 'arguments that are no object',
        method: 'tools/call',
        params: { name: 'add', arguments: [1] },
        code: -32603,
      },
      { name: 'params that are a list', method: 'tools/list', params: [1], code: -32603 },
      { name: 'params that are a string', method: 'tools/call', params: 'add', code: -32603 },
      { name: 'params that are null', method: 'ping', params: null, code: -32603 },
      { name: 'an initialize without a version', method: 'initialize', params: {}, code: -32603 },
    ];
    for (const { name, method, params, code } of failing) {
      test(`${name} is answered with the JSON-RPC error ${code}`, async () => {
        expect(await open(add).request(method, params, 'x')).toMatchObject({
          jsonrpc: '2.0',
          id: 'x',
          error: { code, message: expect.any(String) },
        });
      });
    }

    test('a request without jsonrpc is answered', async () => {
      expect(await open(add).receive({ id: 1, method: 'ping' })).toMatchObject({ id: 1, result: {} });
    });

    const unanswered: JsonObject[] = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/initialized', id: null },
      { jsonrpc: '2.0', method: 'notifications/made-up', params: { x: 1 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', id: 5, result: {} },
      { jsonrpc: '2.0', id: 5 },
      {},
    ];
    for (const message of unanswered) {
      test(`${JSON.stringify(message)} has no answer and harms nothing (TS-140, PY-190)`, async () => {
        const cli = open(add);
        expect(await cli.receive(message)).toBeUndefined();
        expect(textOf(await resultOf(cli.call('add', { a: 1 })))).toBe('11');
      });
    }

    test('concurrent calls are answered in the order they complete (TS-142, PY-192)', async () => {
      const gates = [createGate(), createGate(), createGate()];
      const cli = open(...gates.map((gate, i) => tool(`w${i}`, 'Waits', undefined, gate.handler)));
      const order: string[] = [];
      const calls = gates.map(async (_, i) => order.push(textOf(await resultOf(cli.call(`w${i}`)))));
      for (const i of [2, 0, 1]) {
        await gates[i]!.started;
        gates[i]!.open(`w${i}`);
        await calls[i];
      }
      expect(order).toEqual(['w2', 'w0', 'w1']);
    });

    for (const id of [0, 3, 'c']) {
      test(`notifications/cancelled for the id ${JSON.stringify(id)} aborts the handler's signal and the call has no answer (TS-143)`, async () => {
        const gate = createGate();
        const cli = open(tool('wait', 'Waits', undefined, gate.handler));
        const call = cli.call('wait', {}, id);
        const signal = await gate.started;
        await cli.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
        expect(await call).toBeUndefined();
        expect(signal.aborted).toBe(true);
        expect(signal.reason).toBe('enough');
        gate.open('late');
        expect(await cli.request('ping', undefined, id)).toMatchObject({ id, result: {} });
      });
    }

    test('the signal of the control request aborts the handler and ends the call', async () => {
      const gate = createGate();
      const cli = open(tool('wait', 'Waits', undefined, gate.handler));
      const control = new AbortController();
      const call = cli.receive(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } },
        control.signal,
      );
      const signal = await gate.started;
      control.abort(new Error('withdrawn'));
      expect(await call).toBeUndefined();
      expect(signal.aborted).toBe(true);
    });

    test('a call whose control request was withdrawn before it came is not run', async () => {
      let runs = 0;
      const cli = open(tool('count', 'Counts', undefined, async () => say(String(++runs))));
      const params = { name: 'count' };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      expect(await cli.receive(message, AbortSignal.abort())).toBeUndefined();
      expect(textOf(await resultOf(cli.call('count')))).toBe('1');
    });

    test('a request whose id is still in flight is refused and the first one goes on (PY-191)', async () => {
      const gate = createGate();
      const cli = open(tool('wait', 'Waits', undefined, gate.handler), add);
      const first = cli.call('wait', {}, 4);
      await gate.started;
      for (const again of [cli.call('add', { a: 1 }, 4), cli.request('ping', undefined, 4)]) {
        expect(await errorOf(again)).toEqual({ code: -32603, message: 'Request id 4 is already in flight' });
      }
      expect(textOf(await resultOf(cli.call('add', { a: 1 }, '4')))).toBe('11');
      gate.open('first');
      expect(textOf(await resultOf(first))).toBe('first');
      expect(textOf(await resultOf(cli.call('add', { a: 2 }, 4)))).toBe('12');
    });

    test('progress reaches the CLI under the token of its call', async () => {
      const busy = tool('busy', 'Works', {}, async (_args, extra) => {
        const progressToken = extra._meta?.progressToken;
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'half way' },
        });
        return say('done');
      });
      const cli = open(busy);
      await resultOf(cli.call('busy', {}, 1, { progressToken: 'tok' }));
      expect(cli.sent).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 'tok', progress: 1, total: 2, message: 'half way' },
        },
      ]);
    });

    test('a request of a tool reaches the CLI, and the CLI’s answer reaches the tool (TS-144)', async () => {
      const asks = tool('asks', 'Asks', {}, async (_args, extra) => {
        const answer = await extra.sendRequest(
          {
            method: 'elicitation/create',
            params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
          },
          z.object({ action: z.string(), content: z.record(z.string(), z.unknown()) }),
        );
        return say(`${answer.action} ${answer.content.name}`);
      });
      const cli = open(asks);
      await cli.initialize({ capabilities: { elicitation: {} } });
      const call = cli.call('asks');
      const { id, params } = await cli.sentMessage('elicitation/create');
      expect(params).toMatchObject({ message: 'Name?' });
      const result = { action: 'accept', content: { name: 'Ada' } };
      expect(await cli.receive({ jsonrpc: '2.0', id, result })).toBeUndefined();
      expect(textOf(await resultOf(call))).toBe('accept Ada');
    });

    test('a request of a tool that the CLI refuses rejects with the code of the refusal', async () => {
      const asks = tool('asks', 'Asks', {}, async (_args, extra) => {
        try {
          await extra.sendRequest({ method: 'roots/list' }, z.object({}));
        } catch (error) {
          const { code, message } = error as { code: number; message: string };
          return say(`${code} ${message}`);
        }
        return say('not refused');
      });
      const cli = open(asks);
      const call = cli.call('asks');
      const { id } = await cli.sentMessage('roots/list');
      await cli.receive({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
      expect(textOf(await resultOf(call))).toBe('-32601 MCP error -32601: Method not found');
    });

    test('close aborts running calls, leaves them unanswered and ends what their tools asked', async () => {
      const gate = createGate();
      const asked = createDeferred<unknown>();
      const asks = tool('asks', 'Asks', {}, async (_args, extra) => {
        await extra.sendRequest({ method: 'ping' }, z.object({})).catch(asked.resolve);
        return say('over');
      });
      const cli = open(tool('wait', 'Waits', undefined, gate.handler), asks);
      const calls = [cli.call('wait'), cli.call('asks')];
      const signal = await gate.started;
      await cli.sentMessage('ping');
      await cli.endpoint.close();
      expect(await Promise.all(calls)).toEqual([undefined, undefined]);
      expect(signal.aborted).toBe(true);
      expect(await asked.promise).toMatchObject({ code: -32000 });
      expect(cli.sent.map((message) => message.method)).toEqual(['ping']);
    });

    test('a request after close is answered with an error (PY-197)', async () => {
      const cli = open(add);
      await cli.call('add', { a: 1 });
      await cli.endpoint.close();
      await cli.endpoint.close();
      expect(await errorOf(cli.call('add', { a: 1 }))).toMatchObject({ code: -32000 });
    });

    test('the manifest is the raw result of initialize and tools/list (TS-077)', async () => {
      const cli = open(add);
      const { id: _, ...initialize } = (await cli.initialize()) as JsonObject;
      const listing = await resultOf(cli.request('tools/list'));
      expect(await cli.endpoint.manifest()).toEqual({ initializeResult: initialize.result, toolsListResult: listing });
      expect(cli.sent).toEqual([]);
    });

    test('the manifest of a server without the tools capability has no tools', async () => {
      const cli = new FakeCli(factoryOf({ name: 'bare' }));
      const manifest = await cli.endpoint.manifest();
      expect(manifest).toEqual({
        initializeResult: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'bare', version: '1.0.0' },
        },
      });
      expect(await errorOf(cli.request('tools/list'))).toMatchObject({ code: -32601 });
    });

    test('a server with an empty list of tools has no manifest', async () => {
      expect(await open().endpoint.manifest()).toBeUndefined();
    });

    test('one server serves many queries at once, with the same ids and tokens', async () => {
      const barrier = createDeferred<void>();
      let running = 0;
      const echo = tool('echo', 'Echoes', { text: z.string() }, async ({ text }, extra) => {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken: extra._meta?.progressToken, progress: 1, message: text },
        });
        if (++running === 50) barrier.resolve();
        await barrier.promise;
        return say(text);
      });
      const factory = factoryOf({ name: 'shared', tools: [echo] });
      const clis = Array.from({ length: 50 }, () => new FakeCli(factory));
      const answers = await Promise.all(
        clis.map((cli, i) => resultOf(cli.call('echo', { text: `q${i}` }, 1, { progressToken: 1 }))),
      );
      expect(answers.map(textOf)).toEqual(clis.map((_, i) => `q${i}`));
      for (const [i, cli] of clis.entries()) {
        expect(cli.sent).toEqual([
          {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: 1, progress: 1, message: `q${i}` },
          },
        ]);
      }
    });

    test('closing one query leaves the calls of another alone', async () => {
      const gates = [createGate(), createGate()];
      const tools = gates.map((gate, i) => tool(`w${i}`, 'Waits', undefined, gate.handler));
      const factory = factoryOf({ name: 'shared', tools });
      const [first, second] = [new FakeCli(factory), new FakeCli(factory)];
      const doomed = first.call('w0', {}, 1);
      const surviving = second.call('w1', {}, 1);
      const [doomedSignal, survivingSignal] = await Promise.all(gates.map((gate) => gate.started));
      await first.endpoint.close();
      expect(await doomed).toBeUndefined();
      expect(doomedSignal!.aborted).toBe(true);
      expect(survivingSignal!.aborted).toBe(false);
      gates[1]!.open('alive');
      expect(textOf(await resultOf(surviving))).toBe('alive');
    });

    test('a cancellation in one query does not reach the same id in another', async () => {
      const gates = [createGate(), createGate()];
      const tools = gates.map((gate, i) => tool(`w${i}`, 'Waits', undefined, gate.handler));
      const factory = factoryOf({ name: 'shared', tools });
      const [first, second] = [new FakeCli(factory), new FakeCli(factory)];
      const calls = [first.call('w0', {}, 1), second.call('w1', {}, 1)];
      await Promise.all(gates.map((gate) => gate.started));
      await first.notify('notifications/cancelled', { requestId: 1 });
      expect(await calls[0]).toBeUndefined();
      gates[1]!.open('alive');
      expect(textOf(await resultOf(calls[1]!))).toBe('alive');
    });

    test('a server can be used again after its queries ended (TS-150)', async () => {
      const factory = factoryOf({ name: 'again', tools: [add] });
      for (const round of [1, 2, 3]) {
        const cli = new FakeCli(factory);
        expect(textOf(await resultOf(cli.call('add', { a: round })))).toBe(String(round + 10));
        await cli.endpoint.close();
      }
    });
  });
}
