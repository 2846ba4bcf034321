import type { Query } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { turn } from '../helpers/cli-frames.js';
import type { SessionRow } from './session-row.js';
import type { Stage } from './session-stage.js';
import { EOF, probe, RESULT, USER, userText } from './steps.js';

/** A prompt that says nothing and keeps the input open until the row is over. */
async function* silent(stage: Stage): AsyncGenerator<JsonObject, void> {
  await stage.opened('end of prompt');
  yield* [];
}

/** The program closes the query itself, with nothing else to see. */
async function thenClose(stage: Stage, what: Promise<unknown>): Promise<unknown> {
  const value = await what;
  stage.query.close();
  await stage.drain();
  return value;
}

async function failureOf(what: Promise<unknown>): Promise<unknown> {
  try {
    return await what;
  } catch (error) {
    const { name, message, errorClass, errorCode, subtype, details } = error as Error & JsonObject;
    const fields = { errorClass, errorCode, subtype, details };
    return { name, message, ...(name === 'ControlRequestError' ? fields : { errorClass }) };
  }
}

function request(subtype: string, payload: JsonObject = {}): JsonObject {
  return { request_id: '$id', type: 'control_request', request: { subtype, ...payload } };
}

function expecting(subtype: string) {
  return { in: { type: 'control_request', request_id: '$id', request: { subtype } } };
}

interface Method {
  readonly ids?: readonly string[];
  readonly name: string;
  readonly differs?: string;
  readonly call: (query: Query) => Promise<unknown>;
  readonly writes: JsonObject;
  readonly answer?: JsonObject;
  readonly gives: unknown;
}

const servers = [{ name: 'files', status: 'connected' }];
const usage = { totalTokens: 12, categories: [] };
const rewound = { canRewind: true, filesChanged: ['a'] };

/** What each method writes, and what it makes of the answer. */
const methods: readonly Method[] = [
  {
    ids: ['TS-103'],
    name: 'interrupt() gives the receipt',
    call: (query) => query.interrupt(),
    writes: request('interrupt'),
    answer: { still_queued: ['u1'] },
    gives: { still_queued: ['u1'] },
  },
  {
    ids: ['TS-103'],
    name: 'interrupt() gives nothing for an empty answer',
    call: (query) => query.interrupt(),
    writes: request('interrupt'),
    gives: undefined,
  },
  {
    name: 'setPermissionMode()',
    call: (query) => query.setPermissionMode('acceptEdits'),
    writes: request('set_permission_mode', { mode: 'acceptEdits' }),
    answer: { mode: 'acceptEdits' },
    gives: undefined,
  },
  {
    name: 'setModel() with a model',
    call: (query) => query.setModel('m'),
    writes: request('set_model', { model: 'm' }),
    gives: undefined,
  },
  {
    ids: ['TS-105'],
    name: 'setModel() without a model has no such key',
    call: (query) => query.setModel(),
    writes: request('set_model'),
    gives: undefined,
  },
  {
    ids: ['TS-105'],
    name: 'setMaxThinkingTokens() sends nulls',
    call: (query) => query.setMaxThinkingTokens(null, null),
    writes: request('set_max_thinking_tokens', {
      max_thinking_tokens: null,
      thinking_display: null,
    }),
    gives: undefined,
  },
  {
    name: 'setMaxThinkingTokens() without a display has no such key',
    call: (query) => query.setMaxThinkingTokens(1024),
    writes: request('set_max_thinking_tokens', { max_thinking_tokens: 1024 }),
    gives: undefined,
  },
  {
    ids: ['TS-104'],
    name: 'mcpServerStatus() gives the servers',
    call: (query) => query.mcpServerStatus(),
    writes: request('mcp_status'),
    answer: { mcpServers: servers },
    gives: servers,
  },
  {
    ids: ['TS-104'],
    name: 'backgrounding a task over request() gives the answer',
    call: (query) => query.request('background_tasks', { tool_use_id: 't' }),
    writes: request('background_tasks', { tool_use_id: 't' }),
    answer: { backgrounded: false },
    gives: { backgrounded: false },
  },
  {
    name: 'mcpServerStatus() fails typed when the answer has no servers',
    differs: 'D-20',
    call: (query) => failureOf(query.mcpServerStatus()),
    writes: request('mcp_status'),
    gives: {
      name: 'ControlRequestError',
      message: 'The answer to `mcp_status` has no `mcpServers`',
      errorClass: 'control_request_failed',
      errorCode: undefined,
      subtype: 'mcp_status',
      details: {},
    },
  },
  {
    name: 'getContextUsage()',
    call: (query) => query.getContextUsage({ detail: 'full' }),
    writes: request('get_context_usage', { detail: 'full' }),
    answer: usage,
    gives: usage,
  },
  {
    name: 'rewindFiles()',
    call: (query) => query.rewindFiles('u1', { dryRun: true }),
    writes: request('rewind_files', { user_message_id: 'u1', dry_run: true }),
    answer: rewound,
    gives: rewound,
  },
  {
    name: 'reconnectMcpServer()',
    call: (query) => query.reconnectMcpServer('files'),
    writes: request('mcp_reconnect', { serverName: 'files' }),
    gives: undefined,
  },
  {
    name: 'toggleMcpServer()',
    call: (query) => query.toggleMcpServer('files', false),
    writes: request('mcp_toggle', { serverName: 'files', enabled: false }),
    gives: undefined,
  },
  {
    name: 'stopTask()',
    call: (query) => query.stopTask('t1'),
    writes: request('stop_task', { task_id: 't1' }),
    gives: undefined,
  },
  {
    name: 'request() with a subtype nobody knows',
    call: (query) => query.request('from_the_future', { a: 1 }),
    writes: request('from_the_future', { a: 1 }),
    answer: { b: 2 },
    gives: { b: 2 },
  },
];

/** One process for all methods: each is called when the one before has its answer. */
const methodRow: SessionRow = {
  ids: ['TS-100', ...methods.flatMap(({ ids = [] }) => ids)],
  name: 'every method writes its subtype and payload and gives its part of the answer',
  differs: 'D-20',
  prompt: silent,
  cli: [
    ...methods.map(({ writes, answer = {} }) => ({
      in: {
        type: 'control_request',
        request: { subtype: (writes['request'] as JsonObject)['subtype'] },
      },
      answer,
    })),
    EOF,
  ],
  program: async (stage) => {
    for (const { name, call } of methods) stage.note([name, await call(stage.query)]);
    await thenClose(stage, Promise.resolve());
  },
  expect: {
    written: methods.map(({ writes }) => writes),
    notes: methods.map(({ name, gives }) => [name, gives]),
  },
};

const commands = [{ name: 'a', description: '', argumentHint: '' }];
const later = [{ name: 'b', description: '', argumentHint: '' }];
const models = [{ value: 'm', displayName: 'M', description: '' }];
const agents = [{ name: 'g', description: '' }];
const account = { email: 'a@example.com' };

export const requestRows: readonly SessionRow[] = [
  methodRow,
  {
    ids: ['TS-101'],
    name: 'an error answer rejects with its text, its code and its other fields',
    prompt: silent,
    cli: [
      expecting('set_model'),
      {
        out: {
          type: 'control_response',
          response: {
            subtype: 'error',
            request_id: '$id',
            error: 'no such model',
            error_code: 'unknown_model',
            known: ['m'],
          },
        },
      },
      EOF,
    ],
    program: (stage) => thenClose(stage, failureOf(stage.query.setModel('x'))),
    expect: {
      value: {
        name: 'ControlRequestError',
        message: 'no such model',
        errorClass: 'control_request_failed',
        errorCode: 'unknown_model',
        subtype: 'set_model',
        details: { known: ['m'] },
      },
    },
  },
  {
    ids: ['TS-106'],
    name: 'getters answer from the answer to initialize; the commands follow commands_changed',
    header: { answers: { initialize: { commands, models, agents, account } } },
    cli: [
      USER,
      ...probe(),
      { out: { type: 'system', subtype: 'marker' } },
      { in: { type: 'control_request', request: { subtype: 'interrupt' } }, answer: {} },
      { out: { type: 'system', subtype: 'commands_changed', commands: later } },
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      await stage.drain('system/marker');
      stage.note(await query.supportedCommands());
      stage.note(await query.supportedModels());
      stage.note(await query.supportedAgents());
      stage.note(await query.accountInfo());
      stage.note(await query.initializationResult().then((answer) => answer.commands));
      query.interrupt().catch(() => {});
      await stage.drain();
      stage.note(await query.supportedCommands());
    },
    expect: {
      notes: [commands, models, agents, account, commands, later],
      written: [userText('Hi'), request('interrupt')],
      diagnostics: ['request_unsupported'],
    },
  },
  {
    ids: ['TS-108', 'PY-126'],
    name: 'a request that is pending when the CLI exits with 0 rejects as closed, at once',
    differs: 'D-80',
    prompt: silent,
    cli: [expecting('interrupt'), { exit: 0 }],
    program: async (stage) => {
      const failure = await failureOf(stage.query.interrupt());
      await stage.drain();
      return failure;
    },
    expect: {
      value: {
        name: 'SessionClosedError',
        message: 'Query closed before response received: interrupt',
        errorClass: 'query_closed',
      },
    },
  },
  {
    ids: ['TS-108', 'PY-125'],
    name: 'a request that is pending when the CLI exits with 1 rejects with the exit error, as the loop',
    prompt: silent,
    cli: [expecting('interrupt'), { exit: 1 }],
    program: async (stage) => {
      const failure = await failureOf(stage.query.interrupt());
      await stage.drain();
      return failure;
    },
    expect: {
      value: {
        name: 'ProcessError',
        message: 'Claude Code process exited with code 1',
        errorClass: 'process_exited_nonzero',
      },
      error: { name: 'ProcessError', fields: { exitCode: 1 } },
      exitCode: 1,
    },
  },
  {
    ids: ['TS-108'],
    name: 'a request that is pending at the abort rejects with the AbortError',
    prompt: silent,
    cli: [expecting('interrupt'), { out: { type: 'system', subtype: 'marker' } }, EOF],
    program: async (stage) => {
      const failure = failureOf(stage.query.interrupt());
      await stage.drain('system/marker');
      stage.abortController.abort('enough');
      await stage.drain();
      return failure;
    },
    expect: {
      value: {
        name: 'AbortError',
        message: 'Claude Code run aborted by user',
        errorClass: 'aborted',
      },
      error: { name: 'AbortError', fields: { cause: 'enough' } },
    },
  },
  {
    ids: ['TS-109'],
    name: 'after the end methods reject at once, nothing is written, and getters still answer',
    header: { answers: { initialize: { commands } } },
    cli: [...turn(), EOF],
    program: async (stage) => {
      await stage.drain();
      stage.note(await failureOf(stage.query.setModel('m')));
      stage.note(await stage.query.supportedCommands());
      stage.note(await failureOf(stage.query.streamInput((async function* () {})())));
    },
    expect: {
      written: [userText('Hi')],
      notes: [
        {
          name: 'SessionClosedError',
          message: 'Query closed before response received: set_model',
          errorClass: 'query_closed',
        },
        commands,
        {
          name: 'SessionClosedError',
          message: 'ProcessTransport is not ready for writing: the input has ended',
          errorClass: 'query_closed',
        },
      ],
    },
  },
  {
    ids: ['TS-110', 'PY-131'],
    name: 'requests in flight are answered in any order',
    prompt: silent,
    cli: [
      { in: { type: 'control_request', request_id: '$one', request: { subtype: 'one' } } },
      { in: { type: 'control_request', request_id: '$two', request: { subtype: 'two' } } },
      ...['two', 'one'].map((name) => ({
        out: {
          type: 'control_response',
          response: { subtype: 'success', request_id: `$${name}`, response: { name } },
        },
      })),
      EOF,
    ],
    program: async (stage) => {
      const asked = ['one', 'two'].map(async (name) => {
        stage.note(await stage.query.request(name));
      });
      await thenClose(stage, Promise.all(asked));
    },
    expect: {
      written: [request('one'), request('two')],
      notes: [{ name: 'two' }, { name: 'one' }],
    },
  },
  {
    ids: ['TS-111', 'PY-124'],
    name: 'duplicate, unknown and bodiless answers are ignored, and reported',
    prompt: silent,
    cli: [
      expecting('one'),
      ...[
        { subtype: 'success', request_id: 'nobody', response: {} },
        { subtype: 'success', request_id: '$id', response: { first: true } },
        { subtype: 'success', request_id: '$id', response: { first: false } },
        undefined,
      ].map((response) => ({
        out: { type: 'control_response', ...(response === undefined ? {} : { response }) },
      })),
      { out: { type: 'system', subtype: 'marker' } },
      EOF,
    ],
    program: async (stage) => {
      const answer = await stage.query.request('one');
      await stage.drain('system/marker');
      return thenClose(stage, Promise.resolve(answer));
    },
    expect: {
      value: { first: true },
      messages: ['system/marker'],
      diagnostics: ['response_unknown', 'response_unknown', 'control_frame_malformed'],
    },
  },
  {
    ids: ['TS-112'],
    name: 'an error answer to initialize: getters reject with its text, a string turn still runs',
    cli: [
      { in: { type: 'control_request', request: { subtype: 'initialize' } }, error: 'not today' },
      ...turn(),
      EOF,
    ],
    program: async (stage) => {
      await stage.drain();
      return (await failureOf(stage.query.supportedModels())) as JsonObject;
    },
    expect: {
      messages: ['system/init', 'assistant', 'result/success'],
      value: {
        name: 'ControlRequestError',
        message: 'not today',
        errorClass: 'control_request_failed',
        errorCode: undefined,
        subtype: 'initialize',
        details: {},
      },
    },
  },
  {
    ids: ['TS-112', 'TS-108'],
    name: 'an unanswered initialize ends the run after initializeTimeoutMs',
    differs: 'D-04',
    options: { initializeTimeoutMs: 30 },
    header: { answers: { initialize: null } },
    cli: [EOF],
    expect: {
      error: {
        name: 'ControlRequestTimeoutError',
        fields: { errorClass: 'initialize_timeout', subtype: 'initialize', timeoutMs: 30 },
      },
    },
  },
  {
    ids: ['TS-108'],
    name: 'an unanswered request rejects after its time, its late answer is reported, the session goes on',
    differs: 'D-04',
    prompt: silent,
    cli: [
      expecting('slow'),
      { in: { type: 'control_request', request: { subtype: 'next' } }, answer: { ok: true } },
      {
        out: {
          type: 'control_response',
          response: { subtype: 'success', request_id: '$id', response: {} },
        },
      },
      { out: { type: 'system', subtype: 'marker' } },
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      stage.note(await query.request('slow', {}, { timeoutMs: 20 }).catch((error) => error.name));
      stage.note(await query.request('next'));
      await stage.drain('system/marker');
      await thenClose(stage, Promise.resolve());
    },
    expect: {
      notes: ['ControlRequestTimeoutError', { ok: true }],
      diagnostics: ['response_late'],
    },
  },
];
