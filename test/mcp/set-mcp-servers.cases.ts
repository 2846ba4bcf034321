import { createSdkMcpServer, type McpServerConfig, tool } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import type { Step } from '../helpers/scripted-cli.js';
import { failureOf, request } from '../helpers/session-case/query-methods.js';
import type { Answer, SessionCase } from '../helpers/session-case/session-case.js';
import type { Stage } from '../helpers/session-case/session-stage.js';
import { answered, EOF, mcp, rpc } from '../helpers/session-case/steps.js';

/** Says nothing and keeps the input open. */
async function* silent(stage: Stage): AsyncGenerator<JsonObject, void> {
  await stage.opened('end of prompt');
  yield* [];
}

/** A server whose one tool says who it is. */
function saying(who: string): McpServerConfig {
  const say = tool('say', '', undefined, () => ({ content: [{ type: 'text', text: who }] }));
  return createSdkMcpServer({ name: who, tools: [say] });
}

const slow = new WeakMap<Stage, McpServerConfig>();

/** The server of a stage whose tool waits at a gate. */
function slowServer(stage: Stage): McpServerConfig {
  const say = tool('say', '', undefined, async () => {
    stage.open('asked');
    await stage.opened('may answer');
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  const server = slow.get(stage) ?? createSdkMcpServer({ name: 'slow', tools: [say] });
  slow.set(stage, server);
  return server;
}

/** The CLI calls the tool of a server and waits for the answer. */
function call(id: string, server: string): readonly Step[] {
  return [asked(id, server), answered(id)];
}

function asked(id: string, server: string): Step {
  return mcp(id, server, rpc(id, 'tools/call', { name: 'say' }));
}

function said(id: string, who: string): Answer {
  const result = { content: [{ type: 'text', text: who }] };
  return { ok: { mcp_response: { jsonrpc: '2.0', id, result } } };
}

const CHANGES = { added: ['fresh'], removed: ['goes'], errors: {} };

/** The CLI is told its servers; in between it does these steps, and answers. */
function set(answer: JsonObject, ...meanwhile: readonly Step[]): readonly Step[] {
  sets += 1;
  const id = `$set${sets}`;
  return [
    { in: { type: 'control_request', request_id: id, request: { subtype: 'mcp_set_servers' } } },
    ...meanwhile,
    { out: { type: 'control_response', response: { request_id: id, ...answer } } },
  ];
}

let sets = 0;

const CHANGED: JsonObject = { subtype: 'success', response: CHANGES };
const REFUSED: JsonObject = { subtype: 'error', error: 'not now' };

/** The program has seen the answer: from here on the former servers are gone. */
const SEEN: Step = { in: { type: 'control_request', request: { subtype: 'seen' } }, answer: {} };
const MARKER: Step = { out: { type: 'system', subtype: 'marker' } };
const ENOUGH: Step = { out: { type: 'system', subtype: 'enough' } };

async function seenAndClosed(stage: Stage): Promise<void> {
  const { query } = stage;
  await query.request('seen');
  await stage.drain('system/enough');
  query.close();
  await stage.drain();
}

export const setMcpServersCases: readonly SessionCase[] = [
  {
    ids: ['TS-149'],
    name: 'external servers go as given, then in-process ones by key; new ones answer at once, former ones are gone',
    prompt: silent,
    options: { mcpServers: { goes: saying('goes') } },
    cli: [...set(CHANGED, ...call('early', 'fresh')), SEEN, ...call('gone', 'goes'), ENOUGH, EOF],
    program: async (stage) => {
      const beyond = { command: 'f', beyond: 1 };
      const fresh = { ...saying('other name'), timeout: 7, tools: [{ name: 'say' }] };
      await stage.query.initializationResult();
      stage.note(await stage.query.setMcpServers({ fresh, files: beyond }));
      await seenAndClosed(stage);
    },
    expect: {
      written: [
        request('mcp_set_servers', {
          servers: {
            files: { command: 'f', beyond: 1 },
            fresh: { type: 'sdk', name: 'fresh', timeout: 7, tools: [{ name: 'say' }] },
          },
        }),
        request('seen'),
      ],
      notes: [CHANGES],
      answers: { early: said('early', 'other name'), gone: { error: 'SDK MCP server not found: goes' } },
    },
  },
  {
    ids: ['TS-149'],
    name: 'a server that stays goes on: its call under way is answered',
    prompt: silent,
    options: (stage) => ({ mcpServers: { stays: slowServer(stage) } }),
    cli: [asked('slow', 'stays'), ...set(CHANGED), SEEN, answered('slow'), ENOUGH, EOF],
    program: async (stage) => {
      const { query } = stage;
      await stage.opened('asked');
      await query.setMcpServers({ stays: slowServer(stage) });
      const closed = seenAndClosed(stage);
      stage.open('may answer');
      await closed;
    },
    expect: {
      written: [request('mcp_set_servers', { servers: { stays: { type: 'sdk', name: 'stays' } } }), request('seen')],
      answers: { slow: said('slow', 'waited') },
    },
  },
  {
    ids: ['TS-149'],
    name: 'another server under the same name replaces the one before',
    differs: 'D-13',
    prompt: silent,
    options: { mcpServers: { notes: saying('first') } },
    cli: [...call('one', 'notes'), MARKER, ...set(CHANGED), SEEN, ...call('two', 'notes'), ENOUGH, EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      await stage.query.setMcpServers({ notes: saying('second') });
      await seenAndClosed(stage);
    },
    expect: { answers: { one: said('one', 'first'), two: said('two', 'second') } },
  },
  {
    ids: ['TS-149'],
    name: 'when the CLI refuses, the servers are what they were',
    differs: 'D-13',
    prompt: silent,
    options: { mcpServers: { notes: saying('first'), goes: saying('goes') } },
    cli: [
      ...set(REFUSED, ...call('meanwhile', 'notes')),
      SEEN,
      ...['notes', 'goes', 'extra'].flatMap((name) => call(name, name)),
      ENOUGH,
      EOF,
    ],
    program: async (stage) => {
      const wanted = { notes: saying('second'), extra: saying('extra') };
      await stage.query.initializationResult();
      stage.note(await failureOf(stage.query.setMcpServers(wanted)));
      await seenAndClosed(stage);
    },
    expect: {
      notes: [
        {
          name: 'ControlRequestError',
          message: 'not now',
          errorClass: 'control_request_failed',
          errorCode: undefined,
          subtype: 'mcp_set_servers',
          details: {},
        },
      ],
      answers: {
        meanwhile: said('meanwhile', 'second'),
        notes: said('notes', 'first'),
        goes: said('goes', 'goes'),
        extra: { error: 'SDK MCP server not found: extra' },
      },
    },
  },
  {
    ids: ['TS-149'],
    name: 'what the option would refuse is refused, and nothing is written',
    prompt: silent,
    cli: [SEEN, ENOUGH, EOF],
    program: async (stage) => {
      const circular: JsonObject = { command: 'f' };
      circular.self = circular;
      for (const bad of [null, [], { a: null }, { a: { type: 'sdk', name: 'a' } }, { circular }]) {
        const error = await stage.query.setMcpServers(bad as never).catch((thrown) => thrown);
        stage.note([error.name, error.option]);
      }
      await seenAndClosed(stage);
    },
    expect: {
      written: [request('seen')],
      notes: ['mcpServers', 'mcpServers', 'mcpServers.a', 'mcpServers.a.instance', 'mcpServers.circular'].map(
        (option) => ['InvalidOptionError', option],
      ),
    },
  },
  {
    ids: ['TS-149'],
    name: 'calls that overlap take effect one after the other',
    prompt: silent,
    cli: [...set(REFUSED), ...set(CHANGED), SEEN, ...call('a', 'a'), ...call('b', 'b'), ENOUGH, EOF],
    program: async (stage) => {
      const first = stage.query.setMcpServers({ a: saying('a') }).catch(() => 'refused');
      const second = stage.query.setMcpServers({ b: saying('b') });
      stage.note(await first);
      stage.note(await second);
      await seenAndClosed(stage);
    },
    expect: {
      notes: ['refused', CHANGES],
      answers: { a: { error: 'SDK MCP server not found: a' }, b: said('b', 'b') },
    },
  },
];
