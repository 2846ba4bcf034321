import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  ClaudeClient,
  type Options,
  query,
  RunDeadlineError,
  SessionClosedError,
  type SpawnClaudeCodeProcess,
} from '../../../src/index.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { PEER } from '../../transport/support.js';
import { CLOCKS, memorySession, readAll, settled } from '../memory-session.js';
import { entry, ID, type ResumeStage, setResumeStage, spiedStore } from './stage.js';

/** A run whose store is in the middle of something; nothing of the CLI was started. */
function startLoading(stage: ResumeStage, options: Options = {}) {
  const gate = createDeferred<unknown>();
  const spawned = vi.fn<SpawnClaudeCodeProcess>(({ command, args, cwd, env }) =>
    spawn(command, args, { ...(cwd === undefined ? {} : { cwd }), env, stdio: 'pipe' }),
  );
  const run = query({
    prompt: 'Go.',
    options: stage.options({
      sessionStore: spiedStore({
        load: ({ subpath }) => (subpath === undefined ? [entry(1)] : gate.promise),
        listSubkeys: () => ['subagents/agent-a'],
      }),
      resume: ID,
      spawnClaudeCodeProcess: spawned,
      ...options,
    }),
  });
  return { run, spawned, load: () => gate.resolve(null) };
}

/** The folder exists, and the store is asked for the subagent. */
async function untilWriting(stage: ResumeStage): Promise<void> {
  await expect.poll(() => stage.left()).toHaveLength(1);
}

describe('an end while a session is being loaded', () => {
  test('close: the loop ends at once, nothing is started, no folder is left', async () => {
    const stage = setResumeStage();
    const { run, spawned, load } = startLoading(stage);
    await untilWriting(stage);
    const asked = run.setModel('m');
    run.close();
    expect(await run.next()).toEqual({ value: undefined, done: true });
    await expect(asked).rejects.toThrow(SessionClosedError);
    expect(stage.left()).toEqual([]);
    load();
    await settled();
    expect(spawned).not.toHaveBeenCalled();
    expect(stage.left()).toEqual([]);
  });

  test('return: the same', async () => {
    const stage = setResumeStage();
    const { run, spawned } = startLoading(stage);
    await untilWriting(stage);
    expect(await run.return()).toEqual({ value: undefined, done: true });
    expect(spawned).not.toHaveBeenCalled();
    expect(stage.left()).toEqual([]);
  });

  test('abort: the loop throws at once, nothing is ever started', async () => {
    const stage = setResumeStage();
    const abortController = new AbortController();
    const { run, spawned, load } = startLoading(stage, { abortController });
    await untilWriting(stage);
    const reason = new Error('changed my mind');
    abortController.abort(reason);
    const error = await run.next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toHaveProperty('cause', reason);
    expect(stage.left()).toEqual([]);
    load();
    await settled();
    expect(spawned).not.toHaveBeenCalled();
    expect(getEventListeners(abortController.signal, 'abort')).toEqual([]);
  });

  test('close in the very tick of `query()`: the store is not even asked', async () => {
    const stage = setResumeStage();
    const store = spiedStore({ load: () => [entry(1)] });
    const run = query({ prompt: 'Go.', options: stage.options({ sessionStore: store, resume: ID }) });
    run.close();
    expect(await run.next()).toEqual({ value: undefined, done: true });
    expect(store.calls).toEqual([]);
  });

  test('the deadline counts the loading, and has nothing to interrupt', async () => {
    const stage = setResumeStage();
    const { run, spawned } = startLoading(stage, { deadlineMs: 50 });
    await expect(run.next()).rejects.toThrow(RunDeadlineError);
    expect(spawned).not.toHaveBeenCalled();
    expect(stage.left()).toEqual([]);
  });

  test('`disconnect()` of a client that is connecting', async () => {
    const stage = setResumeStage();
    const client = new ClaudeClient(
      stage.options({ sessionStore: spiedStore({ load: () => new Promise(() => {}) }), resume: ID }),
    );
    const connected = client.connect();
    await settled();
    await client.disconnect();
    await expect(connected).rejects.toThrow(SessionClosedError);
    expect(stage.left()).toEqual([]);
  });
});

describe('requests while a session is being loaded', () => {
  test('requests are written, in order, once the process runs', async () => {
    const stage = setResumeStage();
    const { run, load } = startLoading(stage);
    const asked = Promise.all([run.initializationResult(), run.setModel('m'), run.interrupt()]);
    await untilWriting(stage);
    load();
    for await (const _ of run);
    expect(await asked).toEqual([{}, undefined, undefined]);
  });

  test('an iterable prompt is not pulled ahead of the process by more than a pipe holds', async () => {
    const stage = setResumeStage();
    let pulled = 0;
    async function* messages() {
      for (; pulled < 1000; pulled += 1) {
        const content = 'x'.repeat(10_000);
        yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
      }
    }
    const gate = createDeferred<null>();
    const run = query({
      prompt: messages(),
      options: stage.options({ sessionStore: spiedStore({ load: () => gate.promise }), resume: ID }),
    });
    await settled();
    await settled();
    expect(pulled).toBeLessThan(20);
    gate.resolve(null);
    await run.next();
    await run.return();
  });
});

describe('clocks while a session is being loaded', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  test('`deadline` counts the loading, and there is nothing to interrupt', async () => {
    const { session } = memorySession({ options: { deadlineMs: 1000 }, peerStarted: new Promise(() => {}) });
    const all = readAll(session);
    await vi.advanceTimersByTimeAsync(1000);
    expect(session.isRunning).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await all).toEqual(['deadline_exceeded']);
  });

  test.each([
    { limit: 'initializeTimeoutMs', errorClass: 'initialize_timeout', loadingMs: 10_700 },
    { limit: 'idleTimeoutMs', errorClass: 'idle_timeout', loadingMs: 10_700 },
    { limit: 'idleTimeoutMs', errorClass: 'idle_timeout', loadingMs: 700 },
  ])('$limit counts from the start of the process, after $loadingMs ms of loading', async (row) => {
    const { limit, errorClass, loadingMs } = row;
    const started = createDeferred<void>();
    const { session } = memorySession({
      options: { [limit]: 1000 },
      answersInitialize: false,
      peerStarted: started.promise,
    });
    const all = readAll(session);
    await vi.advanceTimersByTimeAsync(loadingMs);
    expect(session.isRunning).toBe(true);
    started.resolve();
    await settled();
    await vi.advanceTimersByTimeAsync(700);
    expect(session.isRunning).toBe(true);
    await vi.advanceTimersByTimeAsync(1300);
    expect(session.isRunning).toBe(false);
    await settled();
    expect(await all).toEqual([errorClass]);
  });
});

describe('the folder goes with the run (PY-314)', () => {
  const store = () => spiedStore({ load: () => [entry(1)] });

  test('after an early break', async () => {
    const stage = setResumeStage();
    for await (const _ of query({ prompt: 'Go.', options: stage.options({ sessionStore: store(), resume: ID }) })) {
      expect(stage.left()).toHaveLength(1);
      break;
    }
    expect(stage.left()).toEqual([]);
  });

  test('after an abort', async () => {
    const stage = setResumeStage();
    const abortController = new AbortController();
    const run = query({
      prompt: 'Go.',
      options: stage.options({ sessionStore: store(), resume: ID, abortController }),
    });
    await run.next();
    abortController.abort();
    await expect(
      (async () => {
        for await (const _ of run);
      })(),
    ).rejects.toThrow(AbortError);
    expect(stage.left()).toEqual([]);
  });

  test.each([
    {
      name: 'an executable that is not there',
      options: { pathToClaudeCodeExecutable: '/nowhere/claude' },
      error: { name: 'CLINotFoundError' },
    },
    {
      name: 'a working directory that is not there',
      options: { cwd: '/nowhere', pathToClaudeCodeExecutable: process.execPath },
      error: { name: 'CLIConnectionError', errorClass: 'executable_launch_failed' },
    },
    {
      name: 'a spawner that throws',
      options: {
        spawnClaudeCodeProcess: () => {
          throw new RangeError('no room');
        },
      },
      error: { name: 'RangeError', message: 'no room' },
    },
    {
      // It is not told its mode.
      name: 'a CLI that crashes',
      options: { pathToClaudeCodeExecutable: PEER },
      error: { name: 'ProcessError' },
    },
  ])('after $name', async ({ options, error }) => {
    const stage = setResumeStage();
    const run = query({ prompt: 'Go.', options: stage.options({ sessionStore: store(), resume: ID, ...options }) });
    await expect(
      (async () => {
        for await (const _ of run);
      })(),
    ).rejects.toMatchObject(error);
    expect(stage.left()).toEqual([]);
  });

  test('no exit listener is left', async () => {
    const stage = setResumeStage();
    const before = process.listenerCount('exit');
    const run = query({ prompt: 'Go.', options: stage.options({ sessionStore: store(), resume: ID }) });
    await run.next();
    expect(process.listenerCount('exit')).toBe(before + 1);
    for await (const _ of run);
    expect(process.listenerCount('exit')).toBe(before);
  });
});

test('over a `transport` nothing is loaded and nothing written; its frames are mirrored (PY-274)', async () => {
  const stage = setResumeStage();
  const store = spiedStore({ load: () => [entry(1)] });
  const filePath = `${stage.config}/projects/-w/${ID}.jsonl`;
  const run = query({
    prompt: 'Go.',
    options: stage.options({
      sessionStore: store,
      resume: ID,
      transport: {
        write: () => {},
        endInput: () => {},
        isReady: () => true,
        close: () => {},
        async *readMessages() {
          yield { type: 'transcript_mirror', filePath, entries: [entry(2)] };
          yield { type: 'result', subtype: 'success', is_error: false };
        },
      },
    }),
  });
  const types: string[] = [];
  for await (const { type } of run) types.push(type);
  expect(types).toEqual(['result']);
  expect(store.calls).toEqual(['append 1111 main']);
  expect(stage.left()).toEqual([]);
});
