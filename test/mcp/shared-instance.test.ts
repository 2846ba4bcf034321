import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { McpEndpointFactory } from '../../src/control/mcp-endpoint.js';
import { InvalidOptionError } from '../../src/errors.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { createDeferred } from '../../src/util/deferred.js';
import { errorOf, FakeCli, resultOf, textOf } from './fake-cli.js';

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function createServer(): McpServer {
  const server = new McpServer({ name: 's', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
  server.registerTool('hello', {}, async () => say('hello'));
  return server;
}

const factoryFor = (instance: McpServer | Server): McpEndpointFactory =>
  createMcpEndpointFactory({ type: 'sdk', name: 's', instance });

const asClient = { capabilities: { elicitation: {} } };

describe('one MCP SDK instance in several queries', () => {
  test('a list change and a log message reach all of them', async () => {
    const server = createServer();
    const factory = factoryFor(server);
    const clis = [new FakeCli(factory), new FakeCli(factory), new FakeCli(factory)];
    await Promise.all(clis.map((cli) => cli.initialize()));
    server.registerTool('more', {}, async () => say('more'));
    await server.sendLoggingMessage({ level: 'info', data: 'note' });
    for (const cli of clis) {
      expect(await cli.sentMessage('notifications/tools/list_changed')).toBeDefined();
      expect(await cli.sentMessage('notifications/message')).toBeDefined();
      expect(cli.sent).toHaveLength(2);
    }
  });

  test('an elicitation that names no request goes to the query whose tool sends it', async () => {
    const server = createServer();
    const both = createDeferred<void>();
    let running = 0;
    server.registerTool('asks', { inputSchema: { who: z.string() } }, async ({ who }) => {
      if (++running === 2) both.resolve();
      await both.promise;
      const answer = await server.server.elicitInput({
        message: `Hello ${who}?`,
        requestedSchema: { type: 'object', properties: {} },
      });
      return say(`${who}: ${answer.action}`);
    });
    const factory = factoryFor(server);
    const [ann, bob] = [new FakeCli(factory), new FakeCli(factory)];
    await Promise.all([ann.initialize(asClient), bob.initialize(asClient)]);
    const calls = [ann.call('asks', { who: 'Ann' }, 1), bob.call('asks', { who: 'Bob' }, 1)];
    const toAnn = await ann.sentMessage('elicitation/create');
    const toBob = await bob.sentMessage('elicitation/create');
    expect([toAnn, toBob]).toMatchObject([
      { params: { message: 'Hello Ann?' } },
      { params: { message: 'Hello Bob?' } },
    ]);
    // The answer counts only from the query that was asked.
    await ann.receive({ jsonrpc: '2.0', id: toBob.id, result: { action: 'accept' } });
    await bob.receive({ jsonrpc: '2.0', id: toBob.id, result: { action: 'decline' } });
    await ann.receive({ jsonrpc: '2.0', id: toAnn.id, result: { action: 'cancel' } });
    expect((await Promise.all(calls.map(resultOf))).map(textOf)).toEqual(['Ann: cancel', 'Bob: decline']);
  });

  test('a request outside of any handler goes to the only query, and is refused when there are several', async () => {
    const server = createServer();
    const factory = factoryFor(server);
    const first = new FakeCli(factory);
    await first.initialize();
    const pong = server.server.ping();
    const { id } = await first.sentMessage('ping');
    await first.receive({ jsonrpc: '2.0', id, result: {} });
    expect(await pong).toEqual({});

    const second = new FakeCli(factory);
    await second.initialize();
    await expect(server.server.ping()).rejects.toThrow('Cannot tell which of 2 queries');
    expect(first.sent).toHaveLength(1);
    expect(second.sent).toHaveLength(0);
  });

  test('a request that the server gives up is cancelled at the query that was asked', async () => {
    const server = createServer();
    const cli = new FakeCli(factoryFor(server));
    const giveUp = new AbortController();
    const ping = server.server.request({ method: 'ping' }, z.object({}), { signal: giveUp.signal });
    const { id } = await cli.sentMessage('ping');
    giveUp.abort('enough');
    await expect(ping).rejects.toThrow('enough');
    expect(await cli.sentMessage('notifications/cancelled')).toMatchObject({ params: { requestId: id } });
  });

  test('closing one query fails what the server asked it, and nothing else', async () => {
    const server = createServer();
    const failures: unknown[] = [];
    const failed = createDeferred<void>();
    server.registerTool('asks', {}, async (extra) => {
      try {
        return say(JSON.stringify(await extra.sendRequest({ method: 'ping' }, z.object({}))));
      } catch (error) {
        failures.push(error);
        failed.resolve();
        throw error;
      }
    });
    const factory = factoryFor(server);
    const [leaving, staying] = [new FakeCli(factory), new FakeCli(factory)];
    const doomed = leaving.call('asks');
    const kept = staying.call('asks');
    await leaving.sentMessage('ping');
    const { id } = await staying.sentMessage('ping');
    await leaving.endpoint.close();
    expect(await doomed).toBeUndefined();
    await failed.promise;
    expect(failures).toMatchObject([{ code: -32000 }]);
    await staying.receive({ jsonrpc: '2.0', id, result: {} });
    expect(textOf(await resultOf(kept))).toBe('{}');
    expect(server.isConnected()).toBe(true);
  });

  test('progress that arrives after its call reaches nobody', async () => {
    const server = createServer();
    const later = createDeferred<() => Promise<void>>();
    server.registerTool('late', {}, async (extra) => {
      const params = { progressToken: extra._meta!.progressToken!, progress: 1 };
      later.resolve(() => server.server.notification({ method: 'notifications/progress', params }));
      return say('done');
    });
    const cli = new FakeCli(factoryFor(server));
    await resultOf(cli.call('late', {}, 1, { progressToken: 1 }));
    await (await later.promise)();
    expect(cli.sent).toEqual([]);
  });

  test('progress of a cancelled call reaches nobody', async () => {
    const server = createServer();
    const started = createDeferred<string | number>();
    server.registerTool('wait', {}, (extra) => {
      started.resolve(extra._meta!.progressToken!);
      return new Promise(() => {});
    });
    const cli = new FakeCli(factoryFor(server));
    const call = cli.call('wait', {}, 1, { progressToken: 1 });
    const progressToken = await started.promise;
    await cli.notify('notifications/cancelled', { requestId: 1 });
    expect(await call).toBeUndefined();
    const params = { progressToken, progress: 1 };
    await server.server.notification({ method: 'notifications/progress', params });
    expect(cli.sent).toEqual([]);
  });

  test('a notification of a query that has closed does not reach the server', async () => {
    const server = createServer();
    const factory = factoryFor(server);
    const [closed, open] = [new FakeCli(factory), new FakeCli(factory)];
    const seen: unknown[] = [];
    server.server.fallbackNotificationHandler = async ({ params }) => {
      seen.push(params);
    };
    await closed.call('hello');
    await closed.endpoint.close();
    await closed.notify('notifications/made-up', { from: 'closed' });
    await open.notify('notifications/made-up', { from: 'open' });
    await open.call('hello');
    expect(seen).toEqual([{ from: 'open' }]);
  });

  test('the instance is free again when the last query has closed', async () => {
    const server = createServer();
    const factory = factoryFor(server);
    const [first, second] = [new FakeCli(factory), new FakeCli(factory)];
    await Promise.all([first.call('hello'), second.call('hello')]);
    await first.endpoint.close();
    expect(server.isConnected()).toBe(true);
    await second.endpoint.close();
    expect(server.isConnected()).toBe(false);
    const [transport] = InMemoryTransport.createLinkedPair();
    await server.connect(transport);
    await server.close();
  });
});

describe('an MCP SDK instance', () => {
  test('that is connected somewhere else is refused with what to do', async () => {
    const server = createServer();
    const [transport] = InMemoryTransport.createLinkedPair();
    await server.connect(transport);
    const cli = new FakeCli(factoryFor(server));
    const refusal = {
      name: 'InvalidOptionError',
      option: 'mcpServers',
      message: expect.stringContaining('MCP server "s" cannot be used'),
      hint: expect.stringContaining('takes one transport'),
    };
    await expect(cli.call('hello')).rejects.toMatchObject(refusal);
    await expect(cli.endpoint.manifest()).rejects.toBeInstanceOf(InvalidOptionError);
    expect(server.server.transport, 'the other connection stays').toBe(transport);

    await server.close();
    expect(textOf(await resultOf(new FakeCli(factoryFor(server)).call('hello')))).toBe('hello');
  });

  test('of a version that would replace its transport without a word is refused as well', async () => {
    const connect = vi.fn(async () => {});
    const instance = { server: { transport: {} }, connect, close: async () => {} };
    const cli = new FakeCli(createMcpEndpointFactory({ type: 'sdk', name: 's', instance }));
    await expect(cli.initialize()).rejects.toBeInstanceOf(InvalidOptionError);
    expect(connect).not.toHaveBeenCalled();
  });

  test('that its owner closes fails running calls and comes back with a new initialize (PY-196)', async () => {
    const server = createServer();
    const started = createDeferred<void>();
    server.registerTool('wait', {}, () => {
      started.resolve();
      return new Promise(() => {});
    });
    const cli = new FakeCli(factoryFor(server));
    const call = cli.call('wait');
    await started.promise;
    await server.close();
    expect(await errorOf(call)).toMatchObject({ code: -32000 });
    expect(await errorOf(cli.call('hello'))).toMatchObject({ code: -32000 });
    await resultOf(cli.initialize());
    expect(textOf(await resultOf(cli.call('hello')))).toBe('hello');
  });

  test('whose owner’s onclose throws still lets the query close', async () => {
    const server = createServer();
    const seen = createDeferred<Error>();
    server.server.onclose = () => {
      throw new Error('owner failed');
    };
    server.server.onerror = seen.resolve;
    const cli = new FakeCli(factoryFor(server));
    await cli.call('hello');
    await cli.endpoint.close();
    expect(await seen.promise).toMatchObject({ message: 'owner failed' });
  });

  test('can offer resources and prompts (PY-189)', async () => {
    const server = createServer();
    server.registerResource('note', 'note://1', {}, async () => ({ contents: [{ uri: 'note://1', text: 'read me' }] }));
    const cli = new FakeCli(factoryFor(server));
    expect(await resultOf(cli.request('resources/read', { uri: 'note://1' }))).toEqual({
      contents: [{ uri: 'note://1', text: 'read me' }],
    });
  });

  test('can be a low-level Server; a list that fails leaves the manifest out', async () => {
    const server = new Server({ name: 'low', version: '2' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => {
      throw new Error('not now');
    });
    const cli = new FakeCli(factoryFor(server));
    expect(await cli.endpoint.manifest()).toBeUndefined();
    expect(await errorOf(cli.request('tools/list'))).toMatchObject({ message: 'not now' });
  });

  test('can be used under two keys of one query', async () => {
    const factory = factoryFor(createServer());
    const [a, b] = [new FakeCli(factory), new FakeCli(factory)];
    const answers = await Promise.all([a.call('hello', {}, 1), b.call('hello', {}, 1)]);
    expect(answers).toMatchObject([{ id: 1 }, { id: 1 }]);
  });

  test('without an answer to initialize holds the manifest only until the query closes', async () => {
    const silent = { connect: async () => {}, close: async () => {} };
    const cli = new FakeCli(createMcpEndpointFactory({ type: 'sdk', name: 'x', instance: silent }));
    const manifest = cli.endpoint.manifest();
    await Promise.resolve();
    await cli.endpoint.close();
    expect(await manifest).toBeUndefined();
  });
});
