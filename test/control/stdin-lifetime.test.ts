import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Callbacks, ControlPolicy } from '../../src/control/controller-options.js';
import { createDeferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { nextTurn, RESULT, settle, startSession, state, type TestSession, USER } from './session.js';

const CALLBACK: Partial<Callbacks> = { canUseTool: async () => ({ behavior: 'allow' }) };

function started(taskId: string, fields: JsonObject = {}): JsonObject {
  return {
    type: 'system',
    subtype: 'task_started',
    task_id: taskId,
    task_type: 'local_agent',
    is_backgrounded: true,
    ...fields,
  };
}

function notified(taskId: string, status = 'completed'): JsonObject {
  return { type: 'system', subtype: 'task_notification', task_id: taskId, status };
}

function updated(taskId: string, patch: JsonObject): JsonObject {
  return { type: 'system', subtype: 'task_updated', task_id: taskId, patch };
}

function tasks(...ids: string[]): JsonObject {
  return {
    type: 'system',
    subtype: 'background_tasks_changed',
    tasks: ids.map((task_id) => ({ task_id, task_type: 'local_bash' })),
  };
}

type Step = JsonObject | 'user' | 'other input' | 'end of input' | 'source' | 'closed here';

/** Plays steps and says after which of them (an index, without the marker) stdin was closed. */
async function closedAfter(session: TestSession, steps: readonly Step[]): Promise<number | undefined> {
  const real = steps.filter((step) => step !== 'closed here');
  for (const [index, step] of real.entries()) {
    if (step === 'user') session.controller.sendUserMessage(USER);
    else if (step === 'other input') session.controller.sendUserMessage({ type: 'keep_alive' });
    else if (step === 'end of input') session.controller.stdin.inputEnded();
    else if (step === 'source') session.controller.stdin.inputStarted();
    else session.peer.emit(step as JsonObject);
    await nextTurn();
    if (session.peer.isInputEnded) return index;
  }
  return undefined;
}

/** The index of the step before the marker; `undefined` without one: stdin stays open. */
function expectedClose(steps: readonly Step[]): number | undefined {
  const marker = steps.indexOf('closed here');
  return marker === -1 ? undefined : marker - 1;
}

const OVER = 'end of input';
const CLOSED = 'closed here';
const [RUNNING, IDLE, ASKING] = [state('running'), state('idle'), state('requires_action')];
const FUTURE = state('a state of a newer CLI');

const cases: { name: string; rule: ControlPolicy['closeRule']; callbacks?: boolean; steps: Step[] }[] = [
  {
    name: 'a string prompt closes at the first result (TS-088)',
    rule: 'string',
    steps: ['user', OVER, RUNNING, { type: 'assistant' }, RESULT, CLOSED],
  },
  {
    name: 'whatever the result says (TS-088)',
    rule: 'string',
    steps: ['user', OVER, { type: 'result', subtype: 'new', is_error: true }, CLOSED],
  },
  {
    name: 'a string prompt without callbacks does not wait for tasks',
    rule: 'string',
    steps: ['user', OVER, started('a'), RESULT, CLOSED],
  },
  { name: 'an iterable without callbacks closes when it ends (TS-093)', rule: 'stream', steps: ['user', OVER, CLOSED] },
  {
    name: 'an empty iterable closes at once, even with callbacks (PY-146)',
    rule: 'stream',
    callbacks: true,
    steps: [OVER, CLOSED],
  },
  {
    name: 'with callbacks and states only idle closes (TS-089)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RUNNING, RESULT, IDLE, CLOSED],
  },
  {
    name: 'requires_action counts like running (TS-091)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RUNNING, ASKING, RESULT, IDLE, CLOSED],
  },
  {
    name: 'a state that is not idle holds after the result too, whatever it is (TS-089, TS-091)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RUNNING, RESULT, ASKING, FUTURE, IDLE, CLOSED],
  },
  {
    name: 'with callbacks and no states the result closes (TS-090, PY-136, PY-138)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RESULT, CLOSED],
  },
  {
    name: 'an iterable with callbacks that ended closes at the result (TS-094)',
    rule: 'stream',
    callbacks: true,
    steps: ['user', OVER, { type: 'assistant' }, RESULT, CLOSED],
  },
  {
    name: 'an open iterable is never closed by results (TS-095)',
    rule: 'stream',
    steps: ['user', RESULT, 'user', RESULT],
  },
  {
    name: 'a result before the last message does not count (TS-096)',
    rule: 'stream',
    callbacks: true,
    steps: ['user', RESULT, 'user', OVER, { type: 'assistant' }, RESULT, CLOSED],
  },
  {
    name: 'a message behind another turn’s result is waited for (C-3)',
    rule: 'stream',
    callbacks: true,
    steps: ['user', 'user', OVER, { type: 'assistant' }, RESULT, { type: 'assistant' }, RESULT, CLOSED],
  },
  {
    name: 'with states, idle says that one result answered both (C-3)',
    rule: 'stream',
    callbacks: true,
    steps: ['user', 'user', OVER, RUNNING, RESULT, IDLE, CLOSED],
  },
  {
    name: 'a second source of messages keeps stdin open until it ends (TS-098)',
    rule: 'string',
    callbacks: true,
    steps: ['source', 'user', OVER, RESULT, 'user', RESULT, OVER, CLOSED],
  },
  {
    name: 'a background agent survives the result; the first result after it ended closes (PY-140)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('a'), RESULT, notified('a'), { type: 'assistant' }, RESULT, CLOSED],
  },
  {
    name: 'a task that was killed counts as ended, and no turn follows (PY-141)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('a'), RESULT, updated('a', { status: 'killed' }), CLOSED],
  },
  {
    name: 'a task that is reported running has not ended (PY-142)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('a'), updated('a', { status: 'running' }), RESULT],
  },
  {
    name: 'a task in the foreground does not hold (PY-143)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('a', { is_backgrounded: false }), RESULT, CLOSED],
  },
  {
    name: 'a task nobody says is in the background does not hold, an agent does (PY-143)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('shell', { is_backgrounded: undefined, task_type: 'local_bash' }), RESULT, CLOSED],
  },
  {
    name: 'a watcher, which may never end, does not hold',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('w', { ambient: true }), RESULT, CLOSED],
  },
  {
    name: 'a shell in the background holds; its own turn closes',
    rule: 'string',
    callbacks: true,
    steps: [
      'user',
      OVER,
      tasks('b'),
      started('b', { task_type: 'local_bash' }),
      RESULT,
      updated('b', { status: 'completed' }),
      notified('b'),
      tasks(),
      RESULT,
      CLOSED,
    ],
  },
  {
    name: 'a task moved to the background holds from then on',
    rule: 'string',
    callbacks: true,
    steps: [
      'user',
      OVER,
      started('b', { is_backgrounded: false }),
      updated('b', { is_backgrounded: true }),
      RESULT,
      notified('b', 'failed'),
      RESULT,
      CLOSED,
    ],
  },
  {
    name: 'the list of background tasks replaces what was known (PY-144)',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, started('a'), tasks('b'), RESULT, tasks(), RESULT, CLOSED],
  },
  {
    name: 'with states, a task that ended by itself holds until a state came after it',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RUNNING, started('a'), RESULT, IDLE, notified('a'), RUNNING, RESULT, IDLE, CLOSED],
  },
  {
    name: 'with states, a task that was stopped while idle closes at once',
    rule: 'string',
    callbacks: true,
    steps: ['user', OVER, RUNNING, started('a'), RESULT, IDLE, notified('a', 'stopped'), CLOSED],
  },
  {
    name: 'held is never closed by a rule',
    rule: 'held',
    callbacks: true,
    steps: ['user', OVER, RUNNING, RESULT, IDLE],
  },
  {
    name: 'a frame of another type than user waits for no result',
    rule: 'stream',
    callbacks: true,
    steps: ['other input', OVER, CLOSED],
  },
];

describe('when stdin is closed', () => {
  for (const { name, rule, callbacks, steps } of cases) {
    test(name, async () => {
      const session = startSession({
        policy: { closeRule: rule },
        ...(callbacks === true ? { callbacks: CALLBACK } : {}),
      });
      expect(await closedAfter(session, steps)).toBe(expectedClose(steps));
      expect(session.inputEnds()).toBe(steps.includes(CLOSED) ? 1 : 0);
    });
  }

  test('a pending outbound request holds stdin, initialize does not', async () => {
    const { peer, controller } = startSession({ policy: { closeRule: 'stream' } });
    const answered = controller.requests.send('mcp_status');
    controller.stdin.inputEnded();
    expect(peer.isInputEnded).toBe(false);
    peer.succeed('mcp_status', {});
    await answered;
    await nextTurn();
    expect(peer.isInputEnded).toBe(true);
  });

  const IN_ONE_TURN: [string, Partial<Callbacks>, JsonObject[]][] = [
    ['no callbacks', {}, [{ type: 'assistant' }, RESULT]],
    ['no callbacks, and states', {}, [RUNNING, { type: 'assistant' }, RESULT, IDLE]],
    ['callbacks', CALLBACK, [{ type: 'assistant' }, RESULT]],
    ['callbacks and states', CALLBACK, [RUNNING, { type: 'assistant' }, RESULT, IDLE]],
  ];
  test.each(IN_ONE_TURN)(
    'requests of the loop hold stdin, also when all came at once: %s',
    async (_, callbacks, frames) => {
      const { peer, controller } = startSession({ policy: { closeRule: 'string' }, callbacks });
      controller.sendUserMessage(USER);
      controller.stdin.inputEnded();
      peer.emit(...frames);
      const first = controller.requests.send('mcp_status');
      await nextTurn();
      expect(peer.isInputEnded).toBe(false);
      peer.succeed('mcp_status', {});
      await first;
      // As a loop does that waits for one answer before it asks again.
      const second = controller.requests.send('get_settings');
      await nextTurn();
      expect(peer.isInputEnded).toBe(false);
      peer.succeed('get_settings', {});
      await second;
      await nextTurn();
      expect(peer.isInputEnded).toBe(true);
    },
  );

  test('an unanswered question holds stdin past the result, and its answer is written first', async () => {
    const answer = createDeferred<{ behavior: 'allow' }>();
    const { peer, controller } = startSession({
      policy: { closeRule: 'string' },
      callbacks: { canUseTool: () => answer.promise },
    });
    controller.sendUserMessage(USER);
    controller.stdin.inputEnded();
    peer.ask('r1', 'can_use_tool');
    peer.emit(RESULT);
    expect(peer.isInputEnded).toBe(false);
    answer.resolve({ behavior: 'allow' });
    await settle();
    expect(peer.isInputEnded).toBe(true);
    expect(peer.answersTo('r1')).toHaveLength(1);
  });

  test('a question left unanswered on purpose does not hold stdin', async () => {
    const { peer, controller } = startSession({
      policy: { closeRule: 'string' },
      callbacks: { canUseTool: async () => null },
    });
    controller.sendUserMessage(USER);
    controller.stdin.inputEnded();
    peer.ask('r1', 'can_use_tool');
    peer.emit(RESULT);
    await settle();
    expect(peer.isInputEnded).toBe(true);
  });

  test('with callbacks, a message that the CLI knows already does not hold it for good (C-3)', async () => {
    const policy = { closeRule: 'stream' } as const;
    const { peer, controller } = startSession({ policy, callbacks: CALLBACK });
    controller.sendUserMessage({ ...USER, uuid: 'known' });
    controller.stdin.inputEnded();
    expect(peer.isInputEnded).toBe(false);
    peer.emit({ type: 'command_lifecycle', command_uuid: 'known', state: 'completed' });
    await nextTurn();
    expect(peer.isInputEnded).toBe(true);
  });

  test('endInput closes at once, whatever holds, and reports it once', () => {
    const { peer, controller, inputEnds } = startSession({ callbacks: CALLBACK });
    controller.sendUserMessage(USER);
    controller.endInput();
    controller.endInput();
    expect(peer.isInputEnded).toBe(true);
    expect(inputEnds()).toBe(1);
    expect(controller.isInputOpen).toBe(false);
  });
});

describe('the cap', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a clock that stands still does not keep stdin open after a result', async () => {
    const { peer, controller } = startSession({ policy: { closeRule: 'string' } });
    controller.sendUserMessage(USER);
    controller.stdin.inputEnded();
    peer.emit(RESULT);
    await nextTurn();
    expect(peer.isInputEnded).toBe(true);
  });

  function heldSession(callbacks: Partial<Callbacks> = CALLBACK, policy: Partial<ControlPolicy> = {}): TestSession {
    const session = startSession({ policy: { closeRule: 'string', ...policy }, callbacks });
    session.controller.sendUserMessage(USER);
    session.controller.stdin.inputEnded();
    session.peer.emit(RUNNING);
    return session;
  }

  test('idle never comes: closed 600 s after the result, and reported (TS-092)', async () => {
    const { peer, codes } = heldSession();
    await vi.advanceTimersByTimeAsync(1_000_000);
    peer.emit(RESULT);
    await vi.advanceTimersByTimeAsync(599_999);
    expect(peer.isInputEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(peer.isInputEnded).toBe(true);
    expect(codes().at(-1)).toBe('stdin_closed_by_cap');
  });

  test.each([
    { quietCapMs: 1000, closed: [false, true] },
    { quietCapMs: Number.POSITIVE_INFINITY, closed: [false, false] },
  ])('a cap of $quietCapMs ms: the input is closed then, or never (PY-356)', async ({ quietCapMs, closed }) => {
    const { peer } = heldSession(CALLBACK, { quietCapMs });
    peer.emit(RESULT);
    await vi.advanceTimersByTimeAsync(999);
    const before = peer.isInputEnded;
    await vi.advanceTimersByTimeAsync(3_000_000);
    expect([before, peer.isInputEnded]).toEqual(closed);
  });

  test('a turn without a result is not capped: a silent turn is not an idle one', async () => {
    const { peer } = heldSession();
    await vi.advanceTimersByTimeAsync(3_000_000);
    expect(peer.isInputEnded).toBe(false);
  });

  test('messages prolong it, keep_alive does not', async () => {
    const { peer } = heldSession();
    peer.emit(RESULT);
    await vi.advanceTimersByTimeAsync(500_000);
    peer.emit({ type: 'assistant' });
    await vi.advanceTimersByTimeAsync(500_000);
    peer.emit({ type: 'keep_alive' });
    expect(peer.isInputEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(130_000);
    expect(peer.isInputEnded).toBe(true);
  });

  const SHELL = { task_type: 'local_bash', description: 'Serve', owned_by_subagent: true };

  // As Claude Code 2.1.330 sends it: the agent is done, and the server that it started runs on.
  test('it is counted while tasks live that may run for ever, and says which', async () => {
    const { peer, diagnostics } = heldSession(CALLBACK, { quietCapMs: 1_500 });
    peer.emit(started('agent'), RESULT, started('shell', SHELL), notified('agent'), RESULT);
    await vi.advanceTimersByTimeAsync(1_499);
    expect(peer.isInputEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1_501);
    expect(peer.isInputEnded).toBe(true);
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'stdin_closed_by_cap',
      message:
        'stdin was closed: nothing came from Claude Code for 1.5 s after the turn; still running: local_bash "Serve" (shell)',
    });
  });

  test.each(['local_bash', 'monitor_mcp', 'a kind of a newer CLI', undefined])(
    'a task of the type %s holds no longer than it, one that works beside it does',
    async (task_type) => {
      const { peer } = heldSession();
      peer.emit(started('a', { task_type }), started('agent'), RESULT);
      await vi.advanceTimersByTimeAsync(3_000_000);
      expect(peer.isInputEnded).toBe(false);
      peer.emit(notified('agent'), RESULT);
      await vi.advanceTimersByTimeAsync(630_000);
      expect(peer.isInputEnded).toBe(true);
    },
  );

  test.each(['local_agent', 'local_workflow', 'remote_agent'])(
    'it is not counted while a background task of the type %s lives',
    async (task_type) => {
      const { peer } = heldSession();
      peer.emit(started('a', { task_type }), RESULT);
      await vi.advanceTimersByTimeAsync(3_000_000);
      expect(peer.isInputEnded).toBe(false);
    },
  );

  test('it begins when a background agent has ended', async () => {
    const { peer } = heldSession();
    peer.emit(started('a'), RESULT);
    await vi.advanceTimersByTimeAsync(3_000_000);
    expect(peer.isInputEnded).toBe(false);
    peer.emit(notified('a'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(peer.isInputEnded).toBe(true);
  });

  test('it is not counted while a question is open', async () => {
    const answer = createDeferred<null>();
    const { peer } = heldSession({ canUseTool: () => answer.promise });
    peer.emit(RESULT);
    peer.ask('r1', 'can_use_tool');
    await vi.advanceTimersByTimeAsync(3_000_000);
    expect(peer.isInputEnded).toBe(false);
    answer.resolve(null);
    await vi.advanceTimersByTimeAsync(630_000);
    expect(peer.isInputEnded).toBe(true);
  });

  test('no timer is left when the session ends', () => {
    const { peer } = heldSession();
    peer.emit(RESULT);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    peer.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('over real traffic, with callbacks and a string prompt', () => {
  const recordings = [
    { name: 'bash-background', results: 2 },
    { name: 'bash-background-eof', results: 2 },
    { name: 'background-tasks-request', results: 2 },
    { name: 'subagent', results: 2 },
    { name: 'subagent-foreground', results: 1 },
    { name: 'initialize-hello-state', results: 1 },
    { name: 'stop-task', results: 1 },
    { name: 'official-sdk-tool', results: 1 },
  ];
  for (const { name, results } of recordings) {
    test(`${name}: stdin is open until result ${results} and closed at the end`, async () => {
      const { peer, controller } = startSession({ policy: { closeRule: 'string' }, callbacks: CALLBACK });
      controller.sendUserMessage(USER);
      controller.stdin.inputEnded();
      let seen = 0;
      for (const frame of framesFrom(name)) {
        if (frame.type === 'control_response') continue;
        if (frame.type === 'result') seen += 1;
        else if (seen < results) expect(peer.isInputEnded).toBe(false);
        peer.emit(frame);
        await nextTurn();
      }
      expect(seen).toBe(results);
      expect(controller.tasks.liveCount).toBe(0);
      expect(peer.isInputEnded).toBe(true);
    });
  }
});

function framesFrom(recording: string): JsonObject[] {
  const file = new URL(`../fixtures/recordings/${recording}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { dir: string; data: JsonObject })
    .filter(({ dir, data }) => dir === 'out' && typeof data === 'object')
    .map(({ data }) => data);
}
