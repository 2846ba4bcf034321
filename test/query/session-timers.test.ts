import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { query } from '../../src/index.js';
import type { Limits } from '../../src/query/launch/launch-plan.js';
import { SessionTimers } from '../../src/query/session-timers.js';
import { createDeferred } from '../../src/util/deferred.js';
import { assistantFrame, initFrame, resultFrame, turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';
import { CLOCKS, memorySession, readAll, settled } from './memory-session.js';

const USER = { role: 'user' as const, content: 'Go.' };

const NO_LIMIT = Number.POSITIVE_INFINITY;

function limits(over: Partial<Limits>): Limits {
  return {
    maxBufferBytes: NO_LIMIT,
    maxQueuedBytes: NO_LIMIT,
    maxSpooledBytes: NO_LIMIT,
    initializeTimeoutMs: NO_LIMIT,
    controlTimeoutMs: NO_LIMIT,
    idleTimeoutMs: NO_LIMIT,
    deadlineMs: NO_LIMIT,
    exitGraceMs: NO_LIMIT,
    ...over,
  };
}

function timers(over: Partial<Limits>) {
  const state = { isTurnOpen: false, isHeld: false, hasWorkingTasks: false, isUnanswered: false, extraGraceMs: 0 };
  const happened: string[] = [];
  const sessionTimers = new SessionTimers(limits(over), {
    isTurnOpen: () => state.isTurnOpen,
    owesAnswer: () => state.isTurnOpen || state.isUnanswered,
    isHeld: () => state.isHeld,
    hasWorkingTasks: () => state.hasWorkingTasks,
    extraGraceMs: () => state.extraGraceMs,
    onIdle: (lastFrames) => happened.push(`idle after ${lastFrames.join(' ')}`),
    onExitOverdue: (silentMs) => happened.push(`exit overdue after ${silentMs}`),
  });
  return { sessionTimers, state, happened };
}

describe('session timers', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  test('without limits there is no timer at all', () => {
    const { sessionTimers } = timers({});
    sessionTimers.start();
    sessionTimers.onUserMessage();
    sessionTimers.onFrame('assistant');
    sessionTimers.onInputEnd();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('`stop` leaves none behind, and nothing happens after it', () => {
    const { sessionTimers, state, happened } = timers({ idleTimeoutMs: 10, exitGraceMs: 30 });
    state.isTurnOpen = true;
    sessionTimers.start();
    sessionTimers.onInputEnd();
    expect(vi.getTimerCount()).toBe(2);
    sessionTimers.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(happened).toEqual([]);
  });

  test('a late `idle` is one full interval after the last frame, not after the last look', () => {
    const { sessionTimers, state, happened } = timers({ idleTimeoutMs: 100 });
    state.isTurnOpen = true;
    sessionTimers.start();
    vi.advanceTimersByTime(60);
    sessionTimers.onFrame('assistant');
    vi.advanceTimersByTime(99);
    expect(happened).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(['idle after assistant']);
  });

  test('a frame shows that the CLI no longer waits for us: the clock counts from it', () => {
    const { sessionTimers, state, happened } = timers({ idleTimeoutMs: 100 });
    state.isTurnOpen = true;
    sessionTimers.start();
    sessionTimers.onHeld();
    vi.advanceTimersByTime(50);
    sessionTimers.onFrame('user');
    vi.advanceTimersByTime(99);
    expect(happened).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(['idle after user']);
  });

  test.each([
    { name: 'a turn is open', state: 'isTurnOpen' },
    { name: 'background agents work', state: 'hasWorkingTasks' },
    { name: 'the CLI waits for us', state: 'isHeld' },
  ] as const)('the exit is not overdue while $name', ({ state: field }) => {
    const { sessionTimers, state, happened } = timers({ exitGraceMs: 100 });
    state[field] = true;
    sessionTimers.onInputEnd();
    vi.advanceTimersByTime(1000);
    expect(happened).toEqual([]);
    state[field] = false;
    vi.advanceTimersByTime(100);
    expect(happened).toEqual(['exit overdue after 100']);
  });

  test('a frame after the end of the input gives the CLI another whole grace', () => {
    const { sessionTimers, happened } = timers({ exitGraceMs: 100 });
    sessionTimers.onInputEnd();
    vi.advanceTimersByTime(99);
    sessionTimers.onFrame('system');
    vi.advanceTimersByTime(100);
    expect(happened).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(['exit overdue after 100']);
  });
});

test('tasks that may run for ever have their time on top, from the last frame', () => {
  vi.useFakeTimers({ toFake: [...CLOCKS] });
  const { sessionTimers, state, happened } = timers({ exitGraceMs: 100 });
  state.extraGraceMs = 250;
  sessionTimers.onInputEnd();
  vi.advanceTimersByTime(150);
  sessionTimers.onFrame('system');
  vi.advanceTimersByTime(449);
  expect(happened).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(happened).toEqual(['exit overdue after 400']);
  vi.useRealTimers();
});

describe('exitGraceMs', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  async function pass(ms: number): Promise<void> {
    await settled();
    await vi.advanceTimersByTimeAsync(ms);
    await settled();
  }

  test('a CLI that stays after its input ended gets SIGTERM, then SIGKILL 5 s later', async () => {
    const { session, peer, diagnostics } = memorySession({
      options: { exitGraceMs: 1000 },
      exitsOnEndOfInput: false,
      ignoredSignals: ['SIGTERM'],
    });
    const seen = readAll(session);
    await settled();
    peer.emit(resultFrame());
    await settled();
    expect(peer.hasInputEnded).toBe(true);
    await pass(999);
    expect(peer.signals).toEqual([]);
    await pass(1);
    expect(peer.signals).toEqual(['SIGTERM']);
    await pass(5000);
    expect(peer.signals).toEqual(['SIGTERM', 'SIGKILL']);
    // We ended it: how it died says nothing about a run that has its result.
    expect(await seen).toEqual(['result', 'end']);
    expect(diagnostics[0]?.code).toBe('process_signalled');
  });

  test('an iterable that ends at once closes stdin, and its silent turn is waited for (`slow-api`)', async () => {
    const { session, peer } = memorySession({
      options: { exitGraceMs: 1000 },
      exitsOnEndOfInput: false,
      prompt: [{ type: 'user', message: { role: 'user', content: 'Go.' } }],
    });
    const seen = readAll(session);
    await settled();
    expect(peer.hasInputEnded).toBe(true);
    peer.emit(initFrame());
    await pass(60_000);
    expect(peer.signals).toEqual([]);
    peer.emit(assistantFrame('At last.'));
    peer.emit(resultFrame());
    await settled();
    peer.exit();
    expect(await seen).toEqual(['system', 'assistant', 'result', 'end']);
  });

  const SERVER = { task_id: 'b1', task_type: 'local_bash', description: 'Serve' };
  const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] };

  // Claude Code 2.1.330 never exits while a shell of the main thread runs, also with its input closed.
  test.each([
    ['without callbacks', {}, 5_000],
    ['with callbacks, whose cap has had that time', { hooks }, 4_000],
  ])('a shell that never ends does not keep the run open: %s', async (_, options, afterMs) => {
    const { session, peer, diagnostics } = memorySession({
      options: { exitGraceMs: 1_000, env: { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '3000' }, ...options },
      exitsOnEndOfInput: false,
    });
    const seen = readAll(session);
    await settled();
    peer.emit({ type: 'system', subtype: 'background_tasks_changed', tasks: [SERVER] });
    peer.emit(resultFrame());
    await pass(afterMs - 1_001);
    expect(peer.signals).toEqual([]);
    await pass(1_001);
    expect(peer.signals).toEqual(['SIGTERM']);
    expect((await seen).at(-1)).toBe('end');
    const said = diagnostics.map(({ message }) => message);
    expect(said).toContainEqual(expect.stringContaining('still running: local_bash "Serve" (b1)'));
  });

  test('background tasks are waited for, and their turn (`bash-background-eof`)', async () => {
    const { session, peer } = memorySession({ options: { exitGraceMs: 1000 }, exitsOnEndOfInput: false });
    const seen = readAll(session);
    const tasks = [{ task_id: 'b1', task_type: 'local_bash' }];
    await settled();
    peer.emit({ type: 'system', subtype: 'background_tasks_changed', tasks });
    peer.emit(resultFrame());
    await pass(60_000);
    peer.emit({ type: 'system', subtype: 'background_tasks_changed', tasks: [] });
    peer.emit(initFrame());
    await pass(60_000);
    expect(peer.signals).toEqual([]);
    peer.emit(resultFrame());
    await pass(2000);
    expect(peer.signals).toEqual(['SIGTERM']);
    await seen;
  });
});

test.each([
  { when: 'after its result', script: turn(), seen: ['system', 'assistant', 'result'] },
  {
    when: 'without any result',
    script: [{ out: initFrame({ subtype: 'status' }) }],
    seen: ['system'],
    error: { name: 'ProcessError', exitCode: 143 },
  },
])('exitGraceMs over a real process: one that stays $when is gone, and the run says the truth', async (row) => {
  const cli = scriptedCli([{ ignore: ['EOF'] }, ...row.script, { wait: 'forever' }]);
  const codes: string[] = [];
  const hasSpoken = createDeferred<void>();
  const run = query({
    // The input ends when the CLI is up, so that the grace does not count its start.
    prompt: (async function* () {
      if (row.error === undefined) yield { type: 'user' as const, message: USER, parent_tool_use_id: null };
      await hasSpoken.promise;
    })(),
    options: { pathToClaudeCodeExecutable: cli.path, exitGraceMs: 100, onDiagnostic: ({ code }) => codes.push(code) },
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const message of run) {
      seen.push(message.type);
      hasSpoken.resolve();
    }
  })();
  if (row.error === undefined) await reading;
  else await expect(reading).rejects.toMatchObject(row.error);
  expect(seen).toEqual(row.seen);
  expect(codes).toContain('process_signalled');
  expect(cli.log().signals).toEqual(['SIGTERM']);
});
