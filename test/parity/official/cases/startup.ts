import { vi } from 'vitest';
import type { ClaimOptions, Options, Query, SpareProcess, WarmQuery } from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { turn } from '../../../helpers/cli-frames.js';
import { request } from '../../../helpers/session-case/query-methods.js';
import { type Stage, stopTheClock, until } from '../../../helpers/session-case/session-stage.js';
import { EOF, probe, RESULT, USER, userText } from '../../../helpers/session-case/steps.js';
import { alsoSeen } from '../harness/also-seen.js';
import { errorAsData } from '../harness/as-data.js';
import type { ParityRow } from '../harness/parity-case.js';
import { exported } from '../harness/subject.js';
import { cliGone, failureText } from './support.js';

type Startup = (params?: { options?: Options; initializeTimeoutMs?: number }) => Promise<WarmQuery>;
type Prewarm = (params?: { options?: Options }) => Promise<SpareProcess>;

export const startup: Startup = (params) => exported<Startup>('startup')(params);
export const prewarm: Prewarm = (params) => exported<Prewarm>('prewarm')(params);

export const INITIALIZE = { in: { type: 'control_request', request_id: '$init', request: { subtype: 'initialize' } } };
export const silent = { answers: { initialize: null } };

/** Types and subtypes of the frames that the CLI has read, its own answers left out. */
function readSoFar({ cli }: Stage): readonly unknown[] {
  return cli
    .logs()
    .flatMap(({ frames }) => frames)
    .filter(({ type }) => type !== 'control_response')
    .map(({ type, request: inner }) => (inner as JsonObject | undefined)?.subtype ?? type);
}

/** What became of a promise, without waiting for it. */
function watch(promise: Promise<unknown>): { state: 'pending' | 'resolved' | 'rejected' } {
  const seen: { state: 'pending' | 'resolved' | 'rejected' } = { state: 'pending' };
  promise.then(
    () => Object.assign(seen, { state: 'resolved' }),
    () => Object.assign(seen, { state: 'rejected' }),
  );
  return seen;
}

function hookFrame(subtype: string): { out: JsonObject } {
  return {
    out: { type: 'system', subtype, hook_id: 'h1', hook_name: 'SessionStart:startup', hook_event: 'SessionStart' },
  };
}

/** Claims the spare, reads the run to its end, and notes what `claimed` gives. */
async function claimAndDrain(stage: Stage, spare: SpareProcess, options: ClaimOptions): Promise<Query> {
  const query = spare.claim({ prompt: 'Hi', options });
  const claimed = spare.claimed.then(
    ({ cwd, sessionId }) => stage.note({ cwd, sessionId }),
    (error: unknown) => stage.note(errorAsData(error)),
  );
  await stage.drain(undefined, query);
  await claimed;
  return query;
}

export const claimAnswer = {
  in: { type: 'control_request', request: { subtype: 'claim_session' } },
  answer: { cwd: '/work', session_id: 's1', parked_ms: 5, commands: [], models: [], agents: [], account: {} },
};

export const startupCases: readonly ParityRow[] = [
  {
    ids: ['TS-174'],
    name: 'startup() resolves with the answer to initialize; its one query() writes the user frame and nothing else',
    cli: [INITIALIZE, { delayMs: 100 }, { out: answer({}) }, ...turn(), EOF],
    program: async (stage) => {
      const { options } = stage;
      const warm = await startup({ options });
      stage.note(readSoFar(stage));
      const query = warm.query('Hi');
      stage.note(await failureText(() => warm.query('again')).then((text) => text !== 'nothing'));
      await stage.drain(undefined, query);
      stage.note(await failureText(() => warm.query('late')).then((text) => text !== 'nothing'));
    },
    expect: {
      notes: [['initialize'], true, true],
      written: [userText('Hi')],
      messages: ['system/init', 'assistant', 'result/success'],
    },
  },
  {
    ids: ['TS-174'],
    name: 'startup() that is closed ends the CLI, and cannot be used any more',
    cli: [EOF],
    program: async (stage) => {
      const warm = await startup({ options: stage.options });
      warm.close();
      stage.note(await failureText(() => warm.query('late')).then((text) => text !== 'nothing'));
      await cliGone(stage);
    },
    expect: { notes: [true], written: [] },
  },
  {
    ids: ['TS-174'],
    name: 'startup() rejects with the error answer to initialize',
    cli: [{ ...INITIALIZE, error: 'not today' }, EOF],
    program: async (stage) => {
      const failed = await startup({ options: stage.options }).catch((error: unknown) => error);
      await cliGone(stage);
      return (failed as Error).message;
    },
    expect: { value: 'not today', written: [] },
  },
  {
    ids: ['TS-175'],
    name: 'startup() with an unanswered initialize rejects after initializeTimeoutMs, and the CLI gets the end of its input',
    header: silent,
    cli: [INITIALIZE, EOF],
    program: async (stage) => {
      const { options } = stage;
      stopTheClock();
      const started = startup({ options, initializeTimeoutMs: 500 });
      const seen = watch(started);
      await vi.advanceTimersByTimeAsync(499);
      stage.note(seen.state);
      await vi.advanceTimersByTimeAsync(1);
      const error: unknown = await started.catch((thrown: unknown) => thrown);
      await cliGone(stage);
      alsoSeen('error', errorAsData(error));
      return Reflect.get(error as object, 'errorClass');
    },
    expect: { notes: ['pending'], value: 'initialize_timeout', written: [], diagnostics: ['request_timed_out'] },
  },
  {
    ids: ['TS-176'],
    name: 'the default clock of startup() stands still while a SessionStart hook runs',
    header: { ...silent, stepTimeoutMs: 15_000 },
    cli: [
      INITIALIZE,
      hookFrame('hook_started'),
      ...probe(),
      { delayMs: 800 },
      hookFrame('hook_response'),
      ...probe(),
      EOF,
    ],
    program: async (stage) => {
      const { options } = stage;
      stopTheClock();
      const seen = watch(startup({ options }));
      const answers = (): number =>
        stage.cli.logs()[0]?.frames.filter(({ type }) => type === 'control_response').length ?? 0;
      await until(() => answers() === 1, 'the hook has started');
      await vi.advanceTimersByTimeAsync(120_000);
      stage.note(seen.state);
      await until(() => answers() === 2, 'the hook is over');
      await vi.advanceTimersByTimeAsync(59_000);
      stage.note(seen.state);
      await vi.advanceTimersByTimeAsync(1000);
      stage.note(seen.state);
      await cliGone(stage);
    },
    expect: {
      notes: ['pending', 'pending', 'rejected'],
      diagnostics: ['request_timed_out', 'request_unsupported', 'request_unsupported'],
    },
  },
  {
    ids: ['TS-177'],
    name: 'prewarm() adds --await-claim; a claim writes settings, claim_session, what differs, and the user frame last',
    cli: [
      ...controls('apply_flag_settings'),
      claimAnswer,
      ...controls('set_model', 'set_max_thinking_tokens'),
      ...turn(),
      EOF,
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      stage.note(stage.cli.log().argv.includes('--await-claim'));
      stage.note(readSoFar(stage));
      await claimAndDrain(stage, spare, {
        cwd: '/work',
        model: 'm',
        permissionMode: 'plan',
        maxThinkingTokens: 7,
        settings: { effortLevel: 'low' },
        appendSystemPrompt: 'Be brief.',
        title: 't',
        additionalDirectories: ['/more'],
        env: { A: '1' },
      });
      await spare.exited;
      stage.note(
        await failureText(() => spare.claim({ prompt: 'x', options: { cwd: '/work' } })).then(
          (text) => text !== 'nothing',
        ),
      );
    },
    expect: {
      notes: [true, ['initialize'], { cwd: '/work', sessionId: 's1' }, true],
      written: [
        request('apply_flag_settings', { settings: { effortLevel: 'low' } }),
        request('claim_session', {
          cwd: '/work',
          permission_mode: 'plan',
          env: { A: '1' },
          additional_directories: ['/more'],
          append_system_prompt: 'Be brief.',
          title: 't',
          sdk_mcp_servers: [],
          include_initialize: true,
        }),
        request('set_model', { model: 'm' }),
        request('set_max_thinking_tokens', { max_thinking_tokens: 7 }),
        userText('Hi'),
      ],
      messages: ['system/init', 'assistant', 'result/success'],
    },
  },
  {
    ids: ['TS-177'],
    name: 'without settings the user frame does not wait for any answer',
    cli: [
      { in: { type: 'control_request', request_id: '$init', request: { subtype: 'claim_session' } } },
      USER,
      { out: answer({ cwd: '/work', session_id: 's1', parked_ms: 5 }) },
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      await claimAndDrain(stage, spare, { cwd: '/work' });
    },
    expect: {
      notes: [{ cwd: '/work', sessionId: 's1' }],
      written: [
        request('claim_session', { cwd: '/work', sdk_mcp_servers: [], include_initialize: true }),
        userText('Hi'),
      ],
      messages: ['result/success'],
    },
  },
  {
    ids: ['TS-177'],
    name: 'a claim that the CLI refuses rejects with its text',
    cli: [
      { in: { type: 'control_request', request: { subtype: 'claim_session' } }, error: 'cwd_not_found: /work' },
      USER,
      EOF,
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      spare.claim({ prompt: 'Hi', options: { cwd: '/work' } });
      const text = await failureText(() => spare.claimed);
      spare.close();
      await spare.exited;
      return text;
    },
    expect: { value: 'cwd_not_found: /work' },
  },
  {
    ids: ['TS-177'],
    name: 'a spare that is closed cannot be claimed; sessions are not resumed in one',
    cli: [EOF],
    program: async (stage) => {
      const { options } = stage;
      for (const own of [{ resume: 'r' }, { continue: true }, { forkSession: true }]) {
        stage.note(
          await failureText(() => prewarm({ options: { ...options, ...own } })).then((text) => text !== 'nothing'),
        );
      }
      const spare = await prewarm({ options });
      spare.close();
      stage.note(
        await failureText(() => spare.claim({ prompt: 'x', options: { cwd: '/work' } })).then(
          (text) => text !== 'nothing',
        ),
      );
      await spare.exited;
    },
    expect: { notes: [true, true, true, true] },
  },
];

function answer(response: JsonObject): JsonObject {
  return { type: 'control_response', response: { subtype: 'success', request_id: '$init', response } };
}

function controls(...subtypes: readonly string[]) {
  return subtypes.map((subtype) => ({ in: { type: 'control_request', request: { subtype } }, answer: {} }));
}
