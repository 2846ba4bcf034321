import type { McpServerConfig } from '../../../../src/index.js';
import { createSdkMcpServer, tool } from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { Stage } from '../../../helpers/session-case/session-stage.js';
import { answered, EOF, mcp, probe, RESULT, rpc, USER } from '../../../helpers/session-case/steps.js';
import type { ParityRow } from '../harness/parity-case.js';
import { besideSubject } from '../harness/subject.js';
import { failureText, noCli, rpcResult } from './support.js';

const z3 = (await besideSubject<{ z: Zod }>('zod/v3')).z;
const z4 = (await besideSubject<{ z: Zod }>('zod/v4')).z;
const sdk = await besideSubject<McpSdk>('@modelcontextprotocol/sdk/server/index.js');
const types = await besideSubject<McpTypes>('@modelcontextprotocol/sdk/types.js');

/** Both major versions have these; what they make is handed on as it is. */
type Zod = Record<string, (...args: unknown[]) => ZodLike>;
interface ZodLike {
  [method: string]: (...args: unknown[]) => ZodLike;
}
interface LowServer {
  setRequestHandler(schema: unknown, handler: () => unknown): void;
}
interface McpSdk {
  readonly Server: new (info: object, options: object) => LowServer;
}
interface McpTypes {
  readonly ListToolsRequestSchema: unknown;
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const call = (id: string): JsonObject => rpc(id, 'tools/call', { name: 'say' });

/** A server that says who it is. */
function saying(who: string): McpServerConfig {
  return createSdkMcpServer({ name: who, tools: [tool('say', '', undefined, () => text(who))] });
}

/** A server of the MCP SDK whose list of tools waits at a gate. */
function slowToList(stage: Stage): McpServerConfig {
  const info = { name: 'Slow', version: '1.0.0' };
  const instance = new sdk.Server(info, { capabilities: { tools: {} } });
  instance.setRequestHandler(types.ListToolsRequestSchema, async () => {
    await stage.opened('may list');
    return { tools: [] };
  });
  return { type: 'sdk', name: 'slow', instance } as unknown as McpServerConfig;
}

/** One tool for every way of saying what goes in. */
function shapes(z: Zod): readonly [string, unknown][] {
  const is = (name: string, ...args: unknown[]): ZodLike => (z[name] as Zod[string])(...args);
  const fields: Record<string, ZodLike> = {
    text: is('string').describe?.('a text') as ZodLike,
    int: is('number').int?.() as ZodLike,
    email: is('string').email?.() as ZodLike,
    url: is('string').url?.() as ZodLike,
    uuid: is('string').uuid?.() as ZodLike,
    maybe: is('string').nullable?.() as ZodLike,
    optional: is('boolean').optional?.() as ZodLike,
    defaulted: is('number').default?.(7) as ZodLike,
    either: is('union', [is('string'), is('number')]),
    literal: is('literal', 'x'),
    choice: is('enum', ['a', 'b']),
    list: is('array', is('string')).max?.(3) as ZodLike,
    record: is('record', is('string'), is('number')),
    nested: is('object', { inner: is('string') }),
    strict: is('object', { inner: is('string') }).strict?.() as ZodLike,
    open: is('object', { inner: is('string') }).passthrough?.() as ZodLike,
    kinds: is('discriminatedUnion', 'kind', [
      is('object', { kind: is('literal', 'a'), a: is('string') }),
      is('object', { kind: is('literal', 'b'), b: is('number') }),
    ]),
    changed: is('string').transform?.((value: unknown) => String(value).length) as ZodLike,
    lazy: is('lazy', () => is('string')),
    anything: is('any'),
  };
  return [
    ...Object.entries(fields).map(([name, schema]): [string, unknown] => [name, { [name]: schema }]),
    ['whole', is('object', { a: is('string') })],
    ['empty', {}],
    ['none', undefined],
  ];
}

function serverOf(z: Zod): McpServerConfig {
  const tools = shapes(z).map(([name, shape]) => tool(name, name, shape as never, () => text(name)));
  return createSdkMcpServer({ name: 'Shapes', tools });
}

async function listOnly(stage: Stage): Promise<unknown> {
  await stage.drain();
  const frames = stage.cli.log().frames.filter(({ type }) => type === 'control_response');
  return frames.map((frame) => JSON.stringify(frame).length > 500);
}

export const mcpCases: readonly ParityRow[] = [
  {
    ids: ['TS-077'],
    name: 'manifests are what the servers answer; a server without tools has no list, one that cannot list them none at all',
    options: () => ({
      mcpServers: {
        says: saying('says'),
        bare: createSdkMcpServer({ name: 'bare', instructions: 'Ask.' }),
        none: createSdkMcpServer({ name: 'none', tools: [] }),
      },
    }),
    cli: [USER, RESULT, EOF],
    expect: {
      initialize: {
        sdkMcpServers: ['says', 'bare', 'none'],
        sdkMcpServerManifests: {
          says: {
            initializeResult: {
              protocolVersion: '2025-11-25',
              capabilities: { tools: { listChanged: true } },
              serverInfo: { name: 'says', version: '1.0.0' },
            },
            toolsListResult: {
              tools: [
                {
                  name: 'say',
                  description: '',
                  inputSchema: { type: 'object', properties: {} },
                  execution: { taskSupport: 'forbidden' },
                },
              ],
            },
          },
          bare: {
            initializeResult: {
              protocolVersion: '2025-11-25',
              capabilities: {},
              serverInfo: { name: 'bare', version: '1.0.0' },
              instructions: 'Ask.',
            },
          },
        },
      },
    },
  },
  {
    ids: ['TS-078'],
    hostEnv: { PARITY_REAL_TIMERS: '1' },
    name: 'a server that does not list its tools does not hold initialize up',
    options: (stage) => ({ mcpServers: { slow: slowToList(stage) } }),
    cli: [USER, RESULT, EOF],
    program: async (stage) => {
      await stage.query.initializationResult();
      stage.open('may list');
      await stage.drain();
    },
    expect: { initialize: { sdkMcpServers: ['slow'], sdkMcpServerManifests: '$absent' } },
  },
  ...[
    { version: 3, z: z3 },
    { version: 4, z: z4 },
  ].map(
    ({ version, z }): ParityRow => ({
      ids: ['TS-147'],
      name: `schemas of zod ${version} in every form are listed as JSON Schema`,
      options: () => ({ mcpServers: { shapes: serverOf(z) } }),
      cli: [USER, mcp('list', 'shapes', rpc(1, 'tools/list')), answered('list'), RESULT, EOF],
      program: listOnly,
      expect: { value: [true], answers: 'elsewhere' },
    }),
  ),
  {
    ids: ['TS-148'],
    name: 'a name twice, and two versions of zod in one shape, throw when they are made',
    ...noCli,
    program: async () => {
      const say = () => text('');
      const attempts = [
        () => createSdkMcpServer({ name: 'n', tools: [tool('a', '', {}, say), tool('a', '', {}, say)] }),
        () =>
          createSdkMcpServer({
            name: 'n',
            tools: [tool('a', '', { x: z3.string?.(), y: z4.string?.() } as never, say)],
          }),
        () => createSdkMcpServer({ name: 'n', tools: [tool('a', '', {}, say), tool('b', '', {}, say)] }),
      ];
      const failures = await Promise.all(attempts.map(failureText));
      return failures.map((failure) => failure !== 'nothing');
    },
    expect: { ...noCli.expect, value: [true, true, false] },
  },
  {
    ids: ['TS-148'],
    name: 'a raw JSON Schema is a schema',
    differs: 'D-27',
    ...noCli,
    program: () =>
      failureText(() => {
        const schema = { type: 'object', properties: {} } as never;
        createSdkMcpServer({ name: 'n', tools: [tool('a', '', schema, () => text(''))] });
      }).then((failure) => failure === 'nothing'),
    expect: { ...noCli.expect, value: true },
  },
  {
    ids: ['TS-150'],
    name: 'a server serves a second query after the first has ended',
    options: () => ({ mcpServers: { one: again } }),
    cli: [USER, mcp('call', 'one', call('call')), answered('call'), RESULT, EOF],
    program: async (stage) => {
      await new (stage.constructor as typeof Stage)({
        ids: [],
        name: '',
        cli: [USER, RESULT, EOF],
        options: { mcpServers: { other: again } },
        expect: {},
      }).drain();
      await stage.drain();
    },
    expect: { answers: { call: rpcResult('call', text('again')) } },
  },
  {
    ids: ['TS-144'],
    name: 'what a server sends by itself goes out, and the reply reaches it',
    options: (stage) => ({
      mcpServers: {
        asks: createSdkMcpServer({
          name: 'asks',
          tools: [
            tool('say', '', undefined, async ({ sendNotification, sendRequest }) => {
              await sendNotification({ method: 'notifications/tools/list_changed' });
              const schema = (z4.looseObject as Zod[string])({ roots: z4.array?.(z4.any?.()) });
              stage.note(await sendRequest({ method: 'roots/list' }, schema as never));
              return text('asked');
            }),
          ],
        }),
      },
    }),
    cli: [
      USER,
      mcp(
        'init',
        'asks',
        rpc(0, 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: { roots: {} },
          clientInfo: { name: 'c', version: '1' },
        }),
      ),
      answered('init'),
      mcp('call', 'asks', call('call')),
      {
        in: {
          type: 'control_request',
          request: { subtype: 'mcp_message', message: { method: 'notifications/tools/list_changed' } },
        },
        answer: {},
      },
      {
        in: {
          type: 'control_request',
          request: { subtype: 'mcp_message', message: { method: 'roots/list', id: '$rpc' } },
        },
        answer: {},
      },
      mcp('reply', 'asks', { jsonrpc: '2.0', id: '$rpc', result: { roots: [] } }),
      answered('reply'),
      answered('call'),
      ...probe(),
      RESULT,
      EOF,
    ],
    expect: {
      notes: [{ roots: [] }],
      answers: {
        init: rpcResult(0, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'asks', version: '1.0.0' },
        }),
        reply: { ok: { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } } },
        call: rpcResult('call', text('asked')),
      },
      diagnostics: ['request_unsupported'],
    },
  },
];

const again = saying('again');
