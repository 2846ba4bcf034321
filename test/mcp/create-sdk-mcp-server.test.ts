import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { InvalidOptionError } from '../../src/errors.js';
import { createSdkMcpServer } from '../../src/mcp/create-sdk-mcp-server.js';
import { createMcpEndpointFactory } from '../../src/mcp/endpoint-factory.js';
import { isSdkServerConfig } from '../../src/mcp/mcp-server-config.js';
import { definitionOf } from '../../src/mcp/server-definition.js';
import { tool } from '../../src/mcp/tool.js';
import type { JsonObject } from '../../src/util/json.js';
import { createGate, FakeCli, resultOf, textOf } from './fake-cli.js';

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const hello = tool('hello', 'Greets', {}, async () => say('hello from the table'));
const names = (listing: JsonObject) => (listing.tools as { name: string }[]).map((t) => t.name);

describe('createSdkMcpServer', () => {
  test('returns type, name, instance and a timeout that was given', () => {
    expect(Object.keys(createSdkMcpServer({ name: 'a' }))).toEqual(['type', 'name', 'instance']);
    expect(createSdkMcpServer({ name: 'a', timeout: 5 })).toMatchObject({ type: 'sdk', name: 'a', timeout: 5 });
  });

  test('alwaysLoad sets the mark on every tool and leaves the definitions alone', async () => {
    const own = tool('own', 'own', {}, async () => say(''), { _meta: { k: 1 } });
    const server = createSdkMcpServer({ name: 'a', tools: [hello, own], alwaysLoad: true });
    const listing = await resultOf(new FakeCli(createMcpEndpointFactory(server)).request('tools/list'));
    expect(listing.tools).toMatchObject([
      { _meta: { 'anthropic/alwaysLoad': true } },
      { _meta: { k: 1, 'anthropic/alwaysLoad': true } },
    ]);
    expect(hello._meta).toBeUndefined();
    expect(own._meta).toEqual({ k: 1 });
  });

  test('two tools of one name are refused (TS-148)', () => {
    expect(() => createSdkMcpServer({ name: 'a', tools: [hello, { ...hello }] })).toThrow(
      expect.objectContaining({
        name: 'InvalidOptionError',
        option: 'tools[1].name',
        message: 'Tool hello is already registered',
      }),
    );
    const others = ['Hello', 'hello2', 'hell'].map((name) => ({ ...hello, name }));
    expect(() => createSdkMcpServer({ name: 'a', tools: [hello, ...others] })).not.toThrow();
    expect(() => createSdkMcpServer({ name: 'a', tools: [hello, ...others, { ...hello }] })).toThrow(
      expect.objectContaining({ option: 'tools[4].name' }),
    );
  });

  for (const [what, options] of [
    ['a name that is no string', { name: 1 }],
    ['tools that are no list', { name: 'a', tools: {} }],
    ['a tool that is null', { name: 'a', tools: [null] }],
    ['a tool without a handler', { name: 'a', tools: [{ name: 't', description: '' }] }],
  ] as const) {
    test(`${what} is refused`, () => {
      expect(() => createSdkMcpServer(options as never)).toThrow(InvalidOptionError);
    });
  }

  test('an added tool does not change a server that exists', async () => {
    const tools = [hello];
    const cli = new FakeCli(createMcpEndpointFactory(createSdkMcpServer({ name: 'a', tools })));
    tools.push(tool('late', 'late', {}, async () => say('')));
    expect(names(await resultOf(cli.request('tools/list')))).toEqual(['hello']);
  });
});

describe('the instance of our own server', () => {
  test('is not built by making, checking or running the server', async () => {
    const server = createSdkMcpServer({ name: 'a', tools: [hello] });
    expect(isSdkServerConfig(server)).toBe(true);
    const cli = new FakeCli(createMcpEndpointFactory(server));
    await cli.initialize();
    await cli.call('hello');
    await cli.endpoint.manifest();
    expect(definitionOf(server)?.existingInstance).toBeUndefined();
  });

  test('is one McpServer, made when first read', () => {
    const server = createSdkMcpServer({ name: 'a', tools: [hello] });
    expect(server.instance.isConnected()).toBe(false);
    expect(server.instance).toBe(server.instance);
    expect({ ...server }.instance).toBe(server.instance);
  });

  test('answers once it was read, with what was registered on it', async () => {
    const server = createSdkMcpServer({ name: 'a', tools: [hello] });
    server.instance.registerTool('more', { description: 'More' }, async () => say('more'));
    const cli = new FakeCli(createMcpEndpointFactory(server));
    expect(names(await resultOf(cli.request('tools/list')))).toEqual(['hello', 'more']);
    expect(textOf(await resultOf(cli.call('hello')))).toBe('hello from the table');
    expect(textOf(await resultOf(cli.call('more')))).toBe('more');
  });

  test('takes over in a running query: the list change is announced, calls under way end where they began', async () => {
    const gate = createGate();
    const asks = tool('asks', 'asks', {}, async (_args, extra) => {
      await extra.sendRequest({ method: 'ping' }, z.object({}));
      return say('ponged');
    });
    const wait = tool('wait', 'waits', undefined, gate.handler);
    const doomed = createGate();
    const wait2 = tool('wait2', 'waits', undefined, doomed.handler);
    const server = createSdkMcpServer({ name: 'a', tools: [wait, wait2, asks] });
    const cli = new FakeCli(createMcpEndpointFactory(server));
    const waiting = cli.call('wait', {}, 'w1');
    const cancelled = cli.call('wait2', {}, 'w2');
    const asking = cli.call('asks', {}, 'w3');
    await Promise.all([gate.started, doomed.started]);
    const ping = await cli.sentMessage('ping');

    server.instance.registerTool('more', { description: 'More' }, async () => say('more'));
    await cli.sentMessage('notifications/tools/list_changed');
    expect(names(await resultOf(cli.request('tools/list')))).toContain('more');
    expect(textOf(await resultOf(cli.call('more')))).toBe('more');

    expect(await cli.call('more', {}, 'w1')).toMatchObject({ error: { code: -32603 } });
    await cli.receive({ jsonrpc: '2.0', id: ping.id, result: {} });
    expect(textOf(await resultOf(asking))).toBe('ponged');
    await cli.notify('notifications/cancelled', { requestId: 'w2' });
    expect(await cancelled).toBeUndefined();
    gate.open('from the table');
    expect(textOf(await resultOf(waiting))).toBe('from the table');
  });

  test('takes over in no query that has ended', async () => {
    const server = createSdkMcpServer({ name: 'a', tools: [hello] });
    const cli = new FakeCli(createMcpEndpointFactory(server));
    await cli.call('hello');
    await cli.endpoint.close();
    expect(server.instance.isConnected()).toBe(false);
  });

  test('can be replaced by the caller', async () => {
    const server = createSdkMcpServer({ name: 'a', tools: [hello] });
    const other = createSdkMcpServer({ name: 'b', tools: [{ ...hello, name: 'other' }] }).instance;
    server.instance = other;
    expect(server.instance).toBe(other);
    const cli = new FakeCli(createMcpEndpointFactory(server));
    expect(names(await resultOf(cli.request('tools/list')))).toEqual(['other']);
  });

  test('keeps the time limit of a tool', async () => {
    const slow = tool(
      'slow',
      'slow',
      {},
      (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(say(String(signal.reason.name))));
        }),
      { timeoutMs: 5 },
    );
    const cli = new FakeCli(createMcpEndpointFactory({ ...createSdkMcpServer({ name: 'a', tools: [slow] }) }));
    expect(await resultOf(cli.call('slow'))).toEqual({ ...say('Tool slow timed out after 5 ms'), isError: true });
  });
});

describe('isSdkServerConfig', () => {
  const cases: [name: string, config: unknown, expected: boolean][] = [
    ['a server process', { command: 'x' }, false],
    ['an sdk entry without an instance', { type: 'sdk', name: 'x' }, false],
    ['an instance that is no server', { type: 'sdk', name: 'x', instance: {} }, false],
    ['an instance of undefined', { type: 'sdk', name: 'x', instance: undefined }, false],
    ['null', null, false],
    ['a server-like instance', { type: 'sdk', name: 'x', instance: { connect() {} } }, true],
    ['our own server', createSdkMcpServer({ name: 'x' }), true],
  ];
  for (const [name, config, expected] of cases) {
    test(`${name}: ${expected}`, () => expect(isSdkServerConfig(config)).toBe(expected));
  }
});

test('nothing in src/mcp loads the MCP SDK, ajv or zod when it is imported', () => {
  const folder = new URL('../../src/mcp/', import.meta.url);
  const offenders = readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => /^import (?!type).*from '(@modelcontextprotocol|ajv|zod)/.test(line)),
  );
  expect(offenders).toEqual([]);
});
