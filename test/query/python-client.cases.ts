import { vi } from 'vitest';
import type { ClaudeClient } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { assistantFrame, initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import type { Step } from '../helpers/scripted-cli.js';
import type { SessionCase } from '../helpers/session-case/session-case.js';
import { type Stage, stopTheClock, until } from '../helpers/session-case/session-stage.js';
import { EOF, item, probe, RESULT, STOP, USER, userText } from '../helpers/session-case/steps.js';

/** A name that a careless conversion changes. */
const ODD = ' Ünï-"x"/2 ';
const nameOf = (error: Error): string => error.name;

/** Connects, does something, and disconnects. */
function connected(work: (stage: Stage) => Promise<unknown>, prompt?: string) {
  return async (stage: Stage): Promise<unknown> => {
    await stage.client.connect(prompt);
    const value = await work(stage);
    await stage.client.disconnect();
    return value;
  };
}

async function typesOf(messages: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of messages) types.push(type);
  return types;
}

function request(subtype: string, payload: JsonObject = {}): JsonObject {
  return { request_id: '$id', type: 'control_request', request: { subtype, ...payload } };
}

const usage = { totalTokens: 1 };
const methods: readonly {
  readonly id: string;
  readonly call: (client: ClaudeClient) => Promise<unknown>;
  readonly writes: JsonObject;
  readonly answer?: JsonObject;
  readonly gives?: unknown;
}[] = [
  {
    id: 'PY-115',
    call: (client) => client.setPermissionMode('acceptEdits'),
    writes: request('set_permission_mode', { mode: 'acceptEdits' }),
  },
  { id: 'PY-116', call: (client) => client.setModel(), writes: request('set_model', { model: null }) },
  {
    id: 'PY-117',
    call: (client) => client.rewindFiles('u'),
    writes: request('rewind_files', { user_message_id: 'u' }),
    answer: { canRewind: true },
    gives: { canRewind: true },
  },
  {
    id: 'PY-118',
    call: (client) => client.reconnectMcpServer(ODD),
    writes: request('mcp_reconnect', { serverName: ODD }),
  },
  {
    id: 'PY-119',
    call: (client) => client.toggleMcpServer(ODD, false),
    writes: request('mcp_toggle', { serverName: ODD, enabled: false }),
  },
  { id: 'PY-120', call: (client) => client.stopTask(ODD), writes: request('stop_task', { task_id: ODD }) },
  {
    id: 'PY-121',
    call: (client) => client.request('mcp_status'),
    writes: request('mcp_status'),
    answer: { mcpServers: [], more: 1 },
    gives: { mcpServers: [], more: 1 },
  },
  {
    id: 'PY-121',
    call: (client) => client.getContextUsage(),
    writes: request('get_context_usage'),
    answer: usage,
    gives: usage,
  },
  { id: 'PY-122', call: (client) => client.interrupt(), writes: request('interrupt'), gives: undefined },
];

/** Every method that needs a connection, called without one. */
const NEED_CONNECTION: readonly ((client: ClaudeClient) => Promise<unknown>)[] = [
  ...methods.map(({ call }) => call),
  (client) => client.query('Hi'),
  (client) => client.receiveMessages().next(),
  (client) => client.receiveResponse().next(),
  (client) => client.getServerInfo(),
  (client) => client.mcpServerStatus(),
];

async function refusals(client: ClaudeClient): Promise<unknown> {
  const seen = new Set<string>();
  for (const call of NEED_CONNECTION) {
    const error = await call(client).then(
      () => ({ name: 'none', message: '', errorClass: '' }),
      (thrown) => thrown,
    );
    seen.add(`${error.name}/${error.errorClass}: ${error.message}`);
  }
  return [...seen];
}

const NOT_CONNECTED = 'CLIConnectionError/not_connected: Not connected. Call connect() first.';

const stubborn: Step = { ignore: ['EOF', 'SIGTERM'] };

export const pythonClientCases: readonly SessionCase[] = [
  {
    ids: ['PY-103', 'PY-104', 'PY-105', 'PY-260', 'PY-269'],
    name: 'connect() without a prompt writes initialize and nothing else; disconnecting twice is fine',
    differs: 'D-61',
    cli: [EOF],
    program: async (stage) => {
      const { client } = stage;
      await client.disconnect();
      stage.note(client.isConnected);
      await client.connect();
      stage.note(client.isConnected);
      stage.note(stage.cli.log().frames.map(({ type }) => type));
      await client.disconnect();
      await client.disconnect();
      stage.note(client.isConnected);
    },
    expect: {
      initialize: { subtype: 'initialize', systemPrompt: '', hooks: '$absent', agents: '$absent' },
      written: [],
      notes: [false, true, ['control_request'], false],
    },
  },
  {
    ids: ['PY-106', 'PY-107', 'PY-108', 'PY-109'],
    name: 'agents, dynamic sections, skills and subagent text travel in initialize',
    options: {
      agents: { a: { description: 'd', prompt: 'p', tools: [], background: false, disallowedTools: ['X'] } },
      systemPrompt: { type: 'preset', preset: 'claude_code', excludeDynamicSections: false },
      skills: [],
      forwardSubagentText: true,
    },
    cli: [EOF],
    program: connected(async () => {}),
    expect: {
      initialize: {
        agents: { a: { description: 'd', prompt: 'p', tools: [], background: false, disallowedTools: ['X'] } },
        excludeDynamicSections: false,
        skills: [],
        forwardSubagentText: true,
      },
    },
  },
  {
    ids: ['PY-110', 'PY-268'],
    name: 'an error answer to initialize rejects connect() with its text, and the CLI is gone',
    cli: [{ in: { type: 'control_request', request: { subtype: 'initialize' } }, error: 'not today' }, EOF],
    program: async (stage) => {
      const error = await stage.client.connect('Hi').catch((thrown) => thrown);
      stage.note([error.name, error.message, stage.client.isConnected]);
      stage.note(stage.cli.log().exitCode);
    },
    expect: { notes: [['ControlRequestError', 'not today', false], 0], written: [] },
  },
  ...[{}, { hook_on_failure_supported: true, hooks_applied: false }].map(
    (answer): SessionCase => ({
      ids: ['PY-345'],
      name: `a guard that the answer ${JSON.stringify(answer)} does not confirm rejects connect(), and the CLI is gone`,
      options: { hooks: { PreToolUse: [{ hooks: [async () => ({})], onFailure: 'block' }] } },
      cli: [
        { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
        { out: { type: 'control_response', response: { subtype: 'success', request_id: '$init', response: answer } } },
        EOF,
      ],
      program: async (stage) => {
        const error = await stage.client.connect().catch((thrown) => thrown);
        stage.note([error?.name, stage.client.isConnected]);
        stage.note(stage.cli.log().exitCode);
      },
      expect: { notes: [['ControlRequestError', false], 0], written: [] },
    }),
  ),
  {
    ids: ['PY-111', 'PY-267'],
    name: 'an answer to initialize that is no object counts as an empty one; getServerInfo() gives it without traffic',
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } },
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$init', response: [1] } } },
      EOF,
    ],
    program: connected((stage) => stage.client.getServerInfo()),
    expect: { value: {}, written: [], diagnostics: ['control_frame_malformed'] },
  },
  {
    ids: ['PY-112', 'PY-113'],
    name: 'no answer to initialize: connect() rejects after 60 s, whatever the environment says',
    differs: 'D-83',
    options: { env: { ...process.env, CLAUDE_CODE_STREAM_CLOSE_TIMEOUT: '120000' } },
    header: { answers: { initialize: null } },
    cli: [EOF],
    program: async (stage) => {
      stopTheClock();
      const connecting = stage.client.connect().catch((error) => {
        stage.note(error.name);
      });
      await until(() => stage.cli.logs()[0]?.frames.length === 1, 'initialize arrives');
      vi.advanceTimersByTime(59_999);
      await new Promise(setImmediate);
      stage.note('waited 59 999 ms');
      vi.advanceTimersByTime(1);
      await connecting;
    },
    expect: { notes: ['waited 59 999 ms', 'ControlRequestTimeoutError'], diagnostics: ['request_timed_out'] },
  },
  {
    ids: ['PY-114', ...methods.map(({ id }) => id)],
    name: 'every method writes its request, under an id of its own, and gives its part of the answer',
    cli: [
      ...methods.map(({ writes, answer = {} }) => ({
        in: { type: 'control_request', request: { subtype: (writes.request as JsonObject).subtype } },
        answer,
      })),
      EOF,
    ],
    program: connected(async ({ client, note, cli }) => {
      for (const { id, call } of methods) note([id, await call(client)]);
      const ids = cli.log().frames.map((frame) => frame.request_id);
      return ids.length - new Set(ids).size;
    }),
    expect: {
      written: methods.map(({ writes }) => writes),
      notes: methods.map(({ id, gives }) => [id, gives]),
      value: 0,
    },
  },
  {
    ids: ['PY-123'],
    name: 'an error answer rejects with its text',
    cli: [{ in: { type: 'control_request', request: { subtype: 'set_model' } }, error: 'no such model' }, EOF],
    program: connected(({ client }) => client.setModel('x').catch((error) => error.message)),
    expect: { value: 'no such model' },
  },
  {
    ids: ['PY-257', 'PY-258'],
    name: 'every method refuses before connect() and after disconnect()',
    cli: [EOF],
    program: async (stage) => {
      stage.note(await refusals(stage.client));
      await stage.client.connect();
      await stage.client.disconnect();
      stage.note(await refusals(stage.client));
    },
    expect: { notes: [[NOT_CONNECTED], [NOT_CONNECTED]] },
  },
  {
    ids: ['PY-259', 'PY-264', 'PY-265'],
    name: 'a prompt and later queries go to one process; each response ends with its result; the input stays open',
    cli: [...turn('one'), ...probe(), ...turn('two'), EOF],
    program: connected(async ({ client, note }) => {
      note(await typesOf(client.receiveResponse()));
      await client.query('More');
      note(await typesOf(client.receiveResponse()));
    }, 'Hi'),
    expect: {
      written: [userText('Hi', 'default'), userText('More', 'default')],
      notes: [
        ['system', 'assistant', 'result'],
        ['system', 'assistant', 'result'],
      ],
      diagnostics: ['request_unsupported'],
    },
  },
  {
    ids: ['PY-261'],
    name: 'connect(iterable) writes the items, and the input ends after them',
    cli: [USER, USER, EOF, RESULT, RESULT],
    program: async ({ client }) => {
      await client.connect([item('one'), item('two')] as never);
      return typesOf(client.receiveMessages());
    },
    expect: { written: [item('one'), item('two')], value: ['result', 'result'] },
  },
  {
    ids: ['PY-262', 'PY-263'],
    name: 'query() puts the session id into its frame, and into items that lack one',
    cli: [USER, USER, USER, EOF],
    program: connected(async ({ client, note, cli }) => {
      const own = item('own');
      await client.query('text', 's');
      await client.query(
        (async function* () {
          yield own;
          yield { ...item('other'), session_id: 'x' };
        })() as never,
        's',
      );
      note(own);
      await until(() => cli.log().frames.length === 4, 'all arrive');
    }),
    expect: {
      written: [
        userText('text', 's'),
        { ...item('own'), session_id: 's' },
        { ...item('other'), session_id: 'x' },
        STOP,
      ],
      notes: [item('own')],
    },
  },
  {
    ids: ['PY-266', 'PY-336'],
    name: 'receiveMessages() goes on after a result until the CLI ends, and says why it ended when asked again',
    differs: 'D-422',
    cli: [...turn('one'), { out: assistantFrame('late') }, { exit: 2 }],
    program: connected(async ({ client, note }) => {
      const seen: string[] = [];
      try {
        for await (const { type } of client.receiveMessages()) seen.push(type);
      } catch (error) {
        note(nameOf(error as Error));
      }
      note(seen);
      note(await typesOf(client.receiveMessages()).catch(nameOf));
      note(await typesOf(client.receiveResponse()).catch(nameOf));
    }, 'Hi'),
    expect: {
      notes: ['ProcessError', ['system', 'assistant', 'result', 'assistant'], 'ProcessError', 'ProcessError'],
      exitCode: 2,
    },
  },
  {
    ids: ['PY-265'],
    name: 'leaving receiveMessages() early loses nothing and ends nothing',
    cli: [...turn('one'), EOF],
    program: connected(async ({ client, note }) => {
      for await (const { type } of client.receiveMessages()) {
        note(type);
        break;
      }
      note(await typesOf(client.receiveResponse()));
    }, 'Hi'),
    expect: { notes: ['system', ['assistant', 'result']] },
  },
  {
    ids: ['PY-270'],
    name: 'leaving the scope disconnects, also by an error, which goes on',
    cli: [...turn('one'), EOF],
    program: async (stage) => {
      try {
        await using client = stage.client;
        await client.connect('Hi');
        throw new RangeError('mine');
      } catch (error) {
        stage.note(nameOf(error as Error));
      }
      stage.note([stage.client.isConnected, stage.cli.log().exitCode]);
    },
    expect: { notes: ['RangeError', [false, 0]] },
  },
  {
    ids: ['PY-268'],
    name: 'connecting twice is refused, and the first connection lives',
    differs: 'D-84',
    cli: [...turn('one'), EOF],
    program: connected(async ({ client, note }) => {
      note(await client.connect().then(nameOf as never, nameOf));
      await client.query('Hi');
      note(await typesOf(client.receiveResponse()));
    }),
    expect: { notes: ['CLIConnectionError', ['system', 'assistant', 'result']] },
  },
  {
    ids: ['PY-268'],
    name: 'a client can be connected again after it was disconnected',
    cli: [...turn('one'), EOF],
    program: async ({ client, note, cli }) => {
      for (let round = 0; round < 2; round += 1) {
        await client.connect('Hi');
        note(await typesOf(client.receiveResponse()));
        await client.disconnect();
      }
      return cli.logs().length;
    },
    expect: {
      value: 2,
      notes: [
        ['system', 'assistant', 'result'],
        ['system', 'assistant', 'result'],
      ],
    },
  },
  {
    ids: ['PY-097', 'PY-100'],
    name: 'disconnect(): a CLI that leaves at the end of its input, or is gone already, gets no signal',
    cli: [USER, { out: initFrame() }, { exit: 0 }],
    program: async ({ client }) => {
      await client.connect('Hi');
      const types = await typesOf(client.receiveMessages());
      await client.disconnect();
      return types;
    },
    expect: { value: ['system'], diagnostics: ['messages_unanswered'] },
  },
  {
    ids: ['PY-098', 'PY-099'],
    name: 'disconnect(): SIGTERM at 5 s, SIGKILL at 10 s for a CLI that ignores both',
    cli: [stubborn, USER, { out: initFrame() }, { wait: 'forever' }],
    program: async ({ client, cli }) => {
      await client.connect('Hi');
      await client.receiveMessages().next();
      stopTheClock();
      const gone = client.disconnect();
      vi.advanceTimersByTime(5000);
      await until(() => cli.log().signals.length > 0, 'SIGTERM arrives');
      vi.advanceTimersByTime(5000);
      await gone;
    },
    expect: {
      signals: [
        [5000, 'SIGTERM'],
        [10_000, 'SIGKILL'],
      ],
      diagnostics: ['process_signalled', 'process_signalled'],
      exitCode: undefined,
    },
  },
  {
    ids: ['PY-334'],
    name: 'an error result before the answer to initialize, then exit 1: connect() rejects with its text',
    header: { answers: { initialize: null } },
    cli: [
      { out: resultFrame({ subtype: 'error_during_execution', is_error: true, errors: ['no such session'] }) },
      { exit: 1 },
    ],
    program: async ({ client }) => {
      const error = await client.connect().catch((thrown) => thrown);
      return [error.name, error.message, error.errors];
    },
    expect: {
      value: ['ResultError', 'Claude Code returned an error result: no such session', ['no such session']],
      exitCode: 1,
    },
  },
];
