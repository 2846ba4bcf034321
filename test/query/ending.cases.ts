import { spawn } from 'node:child_process';
import { vi } from 'vitest';
import { query, type SpawnedProcess, type SpawnOptions } from '../../src/index.js';
import { assistantFrame, initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import { type Step, scriptedCli } from '../helpers/scripted-cli.js';
import type { SessionCase } from '../helpers/session-case/session-case.js';
import { type Stage, stopTheClock, until } from '../helpers/session-case/session-stage.js';
import { EOF, RESULT, STOP, USER, userText } from '../helpers/session-case/steps.js';

/** A turn that is under way and does not end by itself. */
const midTurn: readonly Step[] = [USER, { out: initFrame() }];
/** From here on neither the end of input nor SIGTERM ends the CLI. */
const stubborn: Step = { ignore: ['EOF', 'SIGTERM'] };
const errorResult = { subtype: 'success', is_error: true, result: 'Invalid API key' };

/** Up to the first message; then the clock stands still and `leave` is called. */
async function leaveMidTurn(stage: Stage, leave: (stage: Stage) => unknown): Promise<void> {
  stopTheClock();
  await stage.drain('system/init');
  const left = leave(stage);
  await stage.drain();
  await left;
}

/** Lets two seconds pass, up to the first signal. */
async function firstStep(stage: Stage): Promise<void> {
  vi.advanceTimersByTime(2000);
  await until(() => stage.cli.log().signals.length > 0, 'SIGTERM arrives');
}

const ends: readonly { name: string; ids: readonly string[]; leave: (stage: Stage) => unknown }[] = [
  { name: 'close()', ids: ['TS-159'], leave: ({ query }) => query.close() },
  { name: 'return()', ids: ['TS-160'], leave: ({ query }) => query.return() },
  { name: 'dispose', ids: ['TS-160'], leave: ({ query }) => query[Symbol.asyncDispose]() },
  {
    name: 'break',
    ids: ['TS-160', 'PY-271'],
    leave: async ({ query }) => {
      for await (const _ of query) break;
    },
  },
];

const ladders: readonly SessionCase[] = [
  ...ends.map(
    ({ name, ids, leave }): SessionCase => ({
      ids: [...ids, 'PY-097'],
      name: `${name} mid-turn: an interrupt before the end of input; a CLI that leaves at that gets no signal (C-6)`,
      differs: 'D-190',
      cli: name === 'break' ? [...midTurn, { out: assistantFrame('one') }, EOF] : [...midTurn, EOF],
      // Two readers at once would each get a part of the messages.
      program: async (stage) => {
        stopTheClock();
        await stage.drain('system/init');
        await leave(stage);
        await stage.drain();
      },
      expect: { messages: ['system/init'], written: [userText('Hi'), STOP] },
    }),
  ),
  {
    ids: ['TS-157'],
    name: 'abort mid-turn: AbortError with the reason as its cause, an interrupt and no signal (C-6)',
    differs: 'D-190',
    cli: [...midTurn, EOF],
    program: (stage) => leaveMidTurn(stage, () => stage.abortController.abort(new Error('bored'))),
    expect: {
      messages: ['system/init'],
      written: [userText('Hi'), STOP],
      error: { name: 'AbortError', fields: { errorClass: 'aborted' }, cause: { name: 'Error', message: 'bored' } },
    },
  },
  ...[
    { name: 'close()', ids: ['TS-159'], leave: ({ query }: Stage) => query.close() },
    { name: 'abort', ids: ['TS-158'], leave: ({ abortController }: Stage) => abortController.abort('enough') },
  ].map(
    ({ name, ids, leave }): SessionCase => ({
      ids,
      name: `${name}: SIGTERM at 2 s, SIGKILL at 7 s for a CLI that ignores both, and it says so`,
      cli: [stubborn, ...midTurn, { wait: 'forever' }],
      program: (stage) =>
        leaveMidTurn(stage, async () => {
          leave(stage);
          leave(stage);
          await firstStep(stage);
          vi.advanceTimersByTime(5000);
        }),
      expect: {
        signals: [
          [2000, 'SIGTERM'],
          [7000, 'SIGKILL'],
        ],
        diagnostics: ['process_signalled', 'process_signalled'],
        exitCode: undefined,
        ...(name === 'abort' ? { error: { name: 'AbortError', fields: { cause: 'enough' } } } : {}),
      },
    }),
  ),
  {
    ids: ['TS-160'],
    name: 'return() waits two seconds for the CLI and no longer',
    cli: [stubborn, ...midTurn, { wait: 'forever' }],
    program: (stage) =>
      leaveMidTurn(stage, async () => {
        const returned = stage.query.return().then(() => stage.note(performance.now()));
        await firstStep(stage);
        await returned;
        vi.advanceTimersByTime(5000);
      }),
    expect: {
      notes: [2000],
      signals: [
        [2000, 'SIGTERM'],
        [7000, 'SIGKILL'],
      ],
      diagnostics: ['process_signalled', 'process_signalled'],
      exitCode: undefined,
    },
  },
  {
    ids: ['TS-160'],
    name: 'throw(e) ends the CLI and rejects with e',
    cli: [...midTurn, EOF],
    program: async (stage) => {
      await stage.drain('system/init');
      const thrown = await stage.query.throw(new RangeError('mine')).catch((error) => error.name);
      return [thrown, await stage.query.next()];
    },
    expect: { value: ['RangeError', { value: undefined, done: true }] },
  },
  {
    ids: ['TS-159', 'PY-272'],
    name: 'messages that were received before close() stay readable',
    cli: [USER, { out: initFrame() }, { out: assistantFrame('one') }, EOF],
    program: async (stage) => {
      const { query } = stage;
      await query.initializationResult();
      await until(() => stage.cli.log().frames.length === 2, 'the prompt arrived');
      await query.request('ping');
      query.close();
      await stage.drain();
    },
    expect: { messages: ['system/init', 'assistant'] },
  },
  {
    ids: ['TS-161'],
    name: 'the signal of a custom spawn aborts only after the two seconds',
    options: (stage) => ({
      spawnClaudeCodeProcess: ({ command, args, env, signal }: SpawnOptions): SpawnedProcess => {
        signal.addEventListener('abort', () => stage.note(['aborted', performance.now()]));
        return spawn(command, args, { env, stdio: 'pipe' });
      },
    }),
    cli: [stubborn, ...midTurn, { wait: 'SIGTERM' }, { exit: 0 }],
    program: (stage) =>
      leaveMidTurn(stage, async () => {
        stage.abortController.abort();
        await vi.advanceTimersByTimeAsync(2000);
      }),
    expect: {
      notes: [['aborted', 2000]],
      error: { name: 'AbortError' },
      signals: [[2000, 'SIGTERM']],
      diagnostics: ['process_signalled'],
    },
  },
  {
    ids: ['TS-151'],
    name: 'a CLI that does not leave after its input ended is made to, and it says so',
    differs: 'D-07',
    options: { exitGraceMs: 30_000 },
    cli: [{ ignore: ['EOF'] }, ...turn(), { wait: 'SIGTERM' }, { exit: 0 }],
    program: async (stage) => {
      stopTheClock();
      await stage.drain('result/success');
      // The input ends in the next turn of the event loop.
      await new Promise(setImmediate);
      vi.advanceTimersByTime(30_000);
      await stage.drain();
    },
    expect: { signals: [[30_000, 'SIGTERM']], diagnostics: ['process_signalled', 'process_signalled'] },
  },
];

export const endingCases: readonly SessionCase[] = [
  ...ladders,
  {
    ids: ['TS-151', 'PY-275', 'PY-266'],
    name: 'the loop ends with the CLI, not with the result: later messages are delivered',
    cli: [
      ...turn(),
      EOF,
      { out: { type: 'system', subtype: 'late' } },
      { out: { type: 'stream_event', event: { type: 'message_stop' } } },
      { out: assistantFrame('still here') },
      { out: resultFrame({ num_turns: 2 }) },
      { out: { type: 'system', subtype: 'later' } },
      { out: { type: 'prompt_suggestion', suggestion: 'x'.repeat(200_000) } },
      { exit: 0 },
    ],
    program: async (stage) => {
      await stage.drain();
      const { length } = JSON.stringify(stage.messages.at(-1));
      return length > 200_000;
    },
    expect: {
      messages: [
        ...['system/init', 'assistant', 'result/success'],
        ...['system/late', 'stream_event', 'assistant', 'result/success', 'system/later'],
        'prompt_suggestion',
      ],
      value: true,
    },
  },
  {
    ids: ['TS-152', 'PY-095'],
    name: 'exit code N is an error with the code and the last 2048 units of stderr, after all messages',
    cli: [...turn(), { stderr: `${'x'.repeat(3000)}\n${'end\n'}` }, { exit: 3 }],
    expect: {
      messages: ['system/init', 'assistant', 'result/success'],
      error: {
        name: 'ProcessError',
        message: 'Claude Code process exited with code 3. stderr: xxx',
        fields: {
          errorClass: 'process_exited_nonzero',
          exitCode: 3,
          signal: null,
          stderrTail: `${'x'.repeat(2048 - 4 - 1)}\nend`,
        },
      },
      exitCode: 3,
    },
  },
  {
    ids: ['TS-153', 'PY-096'],
    name: 'death by a signal is an error with its name',
    cli: [...midTurn, { kill: 'SIGKILL' }],
    expect: {
      messages: ['system/init'],
      error: {
        name: 'ProcessError',
        message: 'terminated by signal SIGKILL',
        fields: { errorClass: 'process_killed_by_signal', signal: 'SIGKILL', exitCode: null },
      },
      exitCode: 128,
    },
  },
  {
    ids: ['TS-154', 'PY-326'],
    name: 'an error result and then exit 1: the result, then an error with its text',
    cli: [USER, { out: resultFrame(errorResult) }, EOF, { exit: 1 }],
    expect: {
      messages: ['result/success'],
      error: {
        name: 'ResultError',
        message: 'Claude Code returned an error result: Invalid API key',
        fields: { errorClass: 'error_result' },
      },
      exitCode: 1,
    },
  },
  {
    ids: ['TS-154', 'PY-327'],
    name: 'an error result without text and then exit 1 is still an error result',
    differs: 'D-19',
    cli: [USER, { out: resultFrame({ is_error: true, result: '', api_error_status: 529 }) }, EOF, { exit: 1 }],
    expect: {
      messages: ['result/success'],
      error: {
        name: 'ResultError',
        message: 'Claude Code returned an error result: API error (HTTP 529)',
        fields: { errorClass: 'error_result', exitCode: 1 },
        cause: { name: 'ProcessError', fields: { exitCode: 1 } },
      },
      exitCode: 1,
    },
  },
  {
    ids: ['TS-155', 'PY-330'],
    name: 'an error result and then exit 0: no error',
    cli: [USER, { out: resultFrame(errorResult) }, EOF],
    expect: { messages: ['result/success'] },
  },
  {
    ids: ['TS-156', 'PY-333'],
    name: 'exit 1 after a success result is an exit error, also when an error result came before it',
    prompt: [
      { type: 'user', message: { role: 'user', content: 'one' } },
      { type: 'user', message: { role: 'user', content: 'two' } },
    ],
    cli: [USER, USER, { out: resultFrame(errorResult) }, RESULT, { exit: 1 }],
    expect: {
      messages: ['result/success', 'result/success'],
      error: { name: 'ProcessError', fields: { errorClass: 'process_exited_nonzero', exitCode: 1 } },
      exitCode: 1,
    },
  },
  {
    ids: ['TS-151'],
    name: 'exit 0 without a result just ends the loop',
    differs: 'D-06',
    cli: [...midTurn, { exit: 0 }],
    expect: { messages: ['system/init'], diagnostics: ['messages_unanswered'] },
  },
  {
    ids: ['TS-151'],
    name: "exit 0 without a result is an error with incompleteStream 'throw'",
    differs: 'D-06',
    options: { incompleteStream: 'throw' },
    cli: [...midTurn, { exit: 0 }],
    expect: {
      messages: ['system/init'],
      error: { name: 'IncompleteStreamError', fields: { errorClass: 'incomplete_stream' } },
      diagnostics: ['messages_unanswered'],
    },
  },
  {
    ids: ['TS-162', 'PY-007'],
    name: 'a missing executable rejects the loop, it does not throw',
    options: { pathToClaudeCodeExecutable: '/no/such/claude' },
    cli: [],
    expect: {
      initialize: {},
      error: {
        name: 'CLINotFoundError',
        message: '/no/such/claude',
        fields: { errorClass: 'executable_not_found', code: 'ENOENT' },
      },
      exitCode: undefined,
    },
  },
  {
    ids: ['TS-162', 'PY-009'],
    name: 'a working directory that does not exist is named as such',
    differs: 'D-11',
    options: { cwd: '/no/such/folder' },
    cli: [],
    expect: {
      error: {
        name: 'CLIConnectionError',
        message: 'Working directory does not exist: /no/such/folder',
        fields: { errorClass: 'executable_launch_failed' },
      },
      exitCode: undefined,
    },
  },
  {
    ids: ['TS-164'],
    name: 'twenty queries leave no listener on the process or on a shared signal',
    cli: [...turn(), EOF],
    program: async (stage) => {
      await stage.drain();
      const before = process.eventNames().map((name) => process.listenerCount(name));
      const { signal } = stage.abortController;
      const added = vi.spyOn(signal, 'addEventListener');
      const removed = vi.spyOn(signal, 'removeEventListener');
      const one = async () => {
        const { path } = scriptedCli([...turn(), EOF]);
        const { abortController } = stage;
        const options = { pathToClaudeCodeExecutable: path, abortController };
        for await (const _ of query({ prompt: 'Hi', options }));
      };
      await Promise.all(Array.from({ length: 20 }, one));
      const after = process.eventNames().map((name) => process.listenerCount(name));
      // One listener for all of them, or one each: none stays.
      stage.note(added.mock.calls.length > 0);
      stage.note(removed.mock.calls.length - added.mock.calls.length);
      return after.every((count, index) => count <= (before[index] ?? 0));
    },
    expect: { value: true, notes: [true, 0] },
  },
  {
    ids: ['TS-165'],
    name: 'a CLI that dies with requests and initialize pending, nothing awaited: no unhandled rejection',
    header: { answers: { initialize: null, set_model: null, two: null } },
    cli: [USER, { in: { type: 'control_request', request: { subtype: 'two' } } }, { exit: 1 }],
    program: async (stage) => {
      const { query } = stage;
      void query.initializationResult();
      void query.supportedModels();
      void query.setModel('m');
      void query.request('two');
      await stage.drain();
    },
    expect: { error: { name: 'ProcessError', fields: { exitCode: 1 } }, exitCode: 1 },
  },
  {
    ids: ['TS-166', 'PY-089'],
    name: 'stderr reaches the callback; one that throws is contained',
    differs: 'D-12',
    options: (stage) => ({
      stderr: (text) => {
        stage.note(text);
        throw new Error('not my problem');
      },
    }),
    cli: [USER, { stderr: 'careful\n' }, RESULT, EOF],
    expect: { notes: ['careful\n'], diagnostics: ['listener_threw'] },
  },
  {
    ids: ['TS-166', 'PY-087'],
    name: 'stderr without a callback is drained, however much it is',
    differs: 'TS-166',
    cli: [USER, { stderr: 'x'.repeat(4 * 1024 * 1024) }, RESULT, EOF],
    expect: { messages: ['result/success'] },
  },
  {
    ids: ['PY-088', 'PY-090'],
    name: 'stderr reaches the callback as it came, in chunks and not in lines',
    differs: 'TS-166',
    options: (stage) => ({ stderr: (text) => stage.note(text) }),
    cli: [USER, { stderr: `a  \n\n  b\r\n${'x'.repeat(100_000)}` }, RESULT, EOF],
    program: async (stage) => {
      await stage.drain();
      return stage.notes.splice(0).join('');
    },
    expect: { value: `a  \n\n  b\r\n${'x'.repeat(100_000)}` },
  },
];
