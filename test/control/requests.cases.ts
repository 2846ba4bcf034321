import { createSdkMcpServer } from '../../src/index.js';
import type { JsonObject } from '../../src/util/json.js';
import { turn } from '../helpers/cli-frames.js';
import { failureOf, methods, request } from '../helpers/session-case/query-methods.js';
import type { SessionCase } from '../helpers/session-case/session-case.js';
import type { Stage } from '../helpers/session-case/session-stage.js';
import { answered, EOF, hookCallback, item, probe, RESULT, USER, userText } from '../helpers/session-case/steps.js';

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

function expecting(subtype: string) {
  return { in: { type: 'control_request', request_id: '$id', request: { subtype } } };
}

/** One process for all methods: each is called when the one before has its answer. */
const methodRow: SessionCase = {
  ids: ['TS-100', ...methods.flatMap(({ ids = [] }) => ids)],
  name: 'every method writes its subtype and payload and gives its part of the answer',
  differs: 'D-20',
  prompt: silent,
  cli: [
    ...methods.map(({ writes, answer = {} }) => ({
      in: { type: 'control_request', request: { subtype: (writes.request as JsonObject).subtype } },
      answer,
    })),
    EOF,
  ],
  program: async (stage) => {
    for (const { name, call } of methods) stage.note([name, await call(stage.query)]);
    await thenClose(stage, Promise.resolve());
  },
  expect: { written: methods.map(({ writes }) => writes), notes: methods.map(({ name, gives }) => [name, gives]) },
};

const commands = [{ name: 'a', description: '', argumentHint: '' }];
const later = [{ name: 'b', description: '', argumentHint: '' }];
const models = [{ value: 'm', displayName: 'M', description: '' }];
const agents = [{ name: 'g', description: '' }];
const account = { email: 'a@example.com' };

export const requestCases: readonly SessionCase[] = [
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
    ids: ['TS-102'],
    name: 'readFile() gives null for an error answer, an answer without a body, and a session that ends or has ended',
    prompt: silent,
    cli: [
      { in: { type: 'control_request', request: { subtype: 'read_file' } }, error: 'no such file' },
      expecting('read_file'),
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id' } } },
      { in: { type: 'control_request', request: { subtype: 'read_file' } } },
      { out: { type: 'system', subtype: 'marker' } },
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      stage.note(await query.readFile('gone'));
      stage.note(await query.readFile('bodiless'));
      const pending = query.readFile('pending');
      await stage.drain('system/marker');
      query.close();
      stage.note(await pending);
      stage.note(await query.readFile('late'));
      await stage.drain();
    },
    expect: { notes: [null, null, null, null] },
  },
  {
    ids: ['TS-102'],
    name: 'readFile() rejects when the CLI does not know the request or never answers: the file may be there',
    prompt: silent,
    options: { controlTimeoutMs: 50 },
    cli: [
      {
        in: { type: 'control_request', request: { subtype: 'read_file' } },
        error: 'Unsupported control request subtype: read_file',
      },
      { in: { type: 'control_request', request: { subtype: 'read_file' } } },
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      for (const path of ['unknown', 'unanswered']) {
        await query.readFile(path).catch((error) => stage.note(error.name));
      }
      query.close();
      await stage.drain();
    },
    expect: { notes: ['ControlRequestError', 'ControlRequestTimeoutError'], diagnostics: ['request_timed_out'] },
  },
  {
    ids: ['TS-100'],
    name: 'setMcpPermissionModeOverride() gives an empty object for an answer without a body',
    prompt: silent,
    cli: [
      expecting('set_mcp_permission_mode_override'),
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id' } } },
      EOF,
    ],
    program: (stage) => thenClose(stage, stage.query.setMcpPermissionModeOverride('s', 'auto')),
    expect: { value: {}, written: [request('set_mcp_permission_mode_override', { serverName: 's', mode: 'auto' })] },
  },
  {
    ids: [],
    name: 'rewindFiles() says that it was done for an answer without a body, as releases before 2.0.77 give it',
    prompt: silent,
    cli: [
      expecting('rewind_files'),
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id' } } },
      EOF,
    ],
    program: (stage) => thenClose(stage, stage.query.rewindFiles('u')),
    expect: { value: { canRewind: true }, written: [request('rewind_files', { user_message_id: 'u' })] },
  },
  {
    ids: ['TS-107'],
    name: 'reinitialize() writes initialize again: same hook ids, no manifests; its answer is the fresh one',
    prompt: silent,
    options: () => ({
      hooks: { Stop: [{ hooks: [async () => ({ systemMessage: 'seen' })] }] },
      mcpServers: { notes: createSdkMcpServer({ name: 'Notes' }) },
    }),
    cli: [
      { in: { type: 'control_request', request: { subtype: 'initialize' } }, answer: { pid: 1 } },
      { in: { type: 'control_request', request: { subtype: 'initialize' } }, answer: { pid: 2 } },
      hookCallback('stop', 'hook_0'),
      answered('stop'),
      { out: { type: 'system', subtype: 'marker' } },
      EOF,
    ],
    program: async (stage) => {
      const { query } = stage;
      stage.note((await query.initializationResult()).pid);
      stage.note((await query.reinitialize()).pid);
      stage.note((await query.initializationResult()).pid);
      await stage.drain('system/marker');
      await thenClose(stage, Promise.resolve());
    },
    expect: {
      notes: [1, 2, 1],
      // What is sent ahead is left out when it is not ready in time: a busy machine must not fail this.
      initialize: { sdkMcpServers: ['notes'] },
      written: [
        request('initialize', {
          hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] },
          sdkMcpServers: ['notes'],
          systemPrompt: '',
        }),
      ],
      answers: { stop: { ok: { systemMessage: 'seen' } } },
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
      { out: { type: 'system', subtype: 'commands_changed', commands: [...later, ...commands] } },
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
        message: 'Query closed before response received',
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
        message: 'Operation aborted: Claude Code process aborted by user',
        errorClass: 'aborted',
      },
      error: { name: 'AbortError', fields: { cause: 'enough' } },
    },
  },
  {
    ids: ['TS-109'],
    name: 'after an abort methods reject with an AbortError that names it, at once and when the loop is over',
    prompt: silent,
    cli: [{ out: { type: 'system', subtype: 'marker' } }, EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      stage.abortController.abort('enough');
      const late = (async function* () {
        yield item('late');
      })();
      stage.note(await failureOf(stage.query.setModel('m')));
      stage.note(await failureOf(stage.query.streamInput(late as never)));
      await stage.drain();
      stage.note(await failureOf(stage.query.interrupt()));
    },
    expect: {
      error: { name: 'AbortError', fields: { cause: 'enough' } },
      notes: [
        'Query closed before response received',
        'ProcessTransport is not ready for writing',
        'Query closed before response received',
      ].map((late) => ({
        name: 'AbortError',
        message: `${late}: Operation aborted: Claude Code process aborted by user`,
        errorClass: 'aborted',
      })),
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
      const late = (async function* () {
        yield item('late');
      })();
      stage.note(await failureOf(stage.query.streamInput(late as never)));
    },
    expect: {
      written: [userText('Hi')],
      notes: [
        { name: 'SessionClosedError', message: 'Query closed before response received', errorClass: 'query_closed' },
        commands,
        {
          name: 'SessionClosedError',
          message: 'ProcessTransport is not ready for writing: Claude Code exited with code 0',
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
        out: { type: 'control_response', response: { subtype: 'success', request_id: `$${name}`, response: { name } } },
      })),
      EOF,
    ],
    program: async (stage) => {
      const asked = ['one', 'two'].map(async (name) => {
        stage.note(await stage.query.request(name));
      });
      await thenClose(stage, Promise.all(asked));
    },
    expect: { written: [request('one'), request('two')], notes: [{ name: 'two' }, { name: 'one' }] },
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
      ].map((response) => ({ out: { type: 'control_response', ...(response === undefined ? {} : { response }) } })),
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
    cli: [{ in: { type: 'control_request', request: { subtype: 'initialize' } }, error: 'not today' }, ...turn(), EOF],
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
      diagnostics: ['request_timed_out'],
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
      { out: { type: 'control_response', response: { subtype: 'success', request_id: '$id', response: {} } } },
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
      diagnostics: ['request_timed_out', 'response_late'],
    },
  },
];
