import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { HookCallback } from '../../src/control/hook-types.js';
import type { CanUseTool } from '../../src/control/permission-types.js';
import { createDeferred, type Deferred } from '../../src/util/deferred.js';
import type { JsonObject } from '../../src/util/json.js';
import { EXIT_1, nextTurn, RESULT, settle, startSession, state, type TestSession, USER } from './session.js';

afterEach(() => {
  vi.useRealTimers();
});

/** What can happen to a session, in any order. Numbers choose among what is open. */
type Step =
  | { readonly do: 'user' | 'result' | 'source' | 'end of input' | 'request' | 'ask' | 'dialog' }
  | { readonly do: 'answer' | 'refuse' | 'abort' | 'cancel' | 'again'; readonly pick: number }
  | { readonly do: 'settle'; readonly pick: number; readonly how: 'value' | 'null' | 'bad' | 'throw' }
  | { readonly do: 'state'; readonly state: string }
  | { readonly do: 'task'; readonly event: 'start' | 'finish' | 'stop'; readonly id: string }
  | { readonly do: 'tasks'; readonly ids: readonly string[] };

/** What happened that the rules speak of. */
type Fact =
  | 'user'
  | 'result'
  | 'source'
  | 'end of input'
  | 'request'
  | 'request over'
  | 'ask'
  | 'ask over'
  | { readonly state: string }
  | { readonly tasks: readonly string[]; readonly finished: boolean };

const pick = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('end of input', 'result') }),
  fc.record({ do: fc.constantFrom('user', 'result', 'source', 'end of input', 'request', 'ask', 'dialog') }),
  fc.record({ do: fc.constantFrom('answer', 'refuse', 'abort', 'cancel', 'again'), pick }),
  fc.record({ do: fc.constant('settle' as const), pick, how: fc.constantFrom('value', 'null', 'bad', 'throw') }),
  fc.record({ do: fc.constant('state' as const), state: fc.constantFrom('running', 'idle', 'requires_action') }),
  fc.record({
    do: fc.constant('task' as const),
    event: fc.constantFrom('start', 'finish', 'stop'),
    id: fc.constantFrom('a', 'b'),
  }),
  fc.record({ do: fc.constant('tasks' as const), ids: fc.subarray(['a', 'b', 'c']) }),
) as fc.Arbitrary<Step>;

interface Plan {
  readonly closeRule: 'string' | 'stream' | 'held';
  readonly needStdin: boolean;
  readonly answerAfterCancel: boolean;
  readonly hasStates: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  closeRule: fc.constantFrom('string', 'stream', 'string', 'stream', 'held'),
  needStdin: fc.boolean(),
  answerAfterCancel: fc.boolean(),
  hasStates: fc.boolean(),
});

/** The rules of stdin once more, read off the whole history, slow and plain. */
function mayClose(facts: readonly Fact[], { closeRule, needStdin }: Plan): boolean {
  const count = (fact: Fact) => facts.filter((other) => other === fact).length;
  const sources = facts.reduce(
    (open, fact) => (fact === 'source' ? open + 1 : fact === 'end of input' ? Math.max(0, open - 1) : open),
    1,
  );
  if (closeRule === 'held' || sources > 0 || count('request') > count('request over')) return false;
  if (count('ask') > count('ask over')) return false;
  if (!needStdin) return closeRule === 'stream' || count('result') > 0;

  const lastState = facts.findLast((fact) => typeof fact === 'object' && 'state' in fact) as
    | { state: string }
    | undefined;
  const lastTasks = facts.findLast((fact) => typeof fact === 'object' && 'tasks' in fact) as
    | { tasks: readonly string[] }
    | undefined;
  if (unanswered(facts) > 0) return false;
  // A message of which the turn took over is not counted; the turn is open all the same.
  if (facts.lastIndexOf('user') > facts.lastIndexOf('result')) return false;
  if (lastState !== undefined && lastState.state !== 'idle') return false;
  if (lastTasks !== undefined && lastTasks.tasks.length > 0) return false;

  const isState = (fact: Fact) => typeof fact === 'object' && 'state' in fact;
  const isOwed = (finishedAt: number) =>
    !facts.some(
      (fact, at) => at > finishedAt && (isState(fact) || (fact === 'result' && !facts.slice(0, at).some(isState))),
    );
  return !facts.some((fact, at) => typeof fact === 'object' && 'finished' in fact && fact.finished && isOwed(at));
}

/** Tasks of the steps by id. An agent works towards an end; a shell, and a task without a type, may run for ever. */
const TASK_TYPES: Readonly<Record<string, string | undefined>> = { a: 'local_agent', b: 'local_bash', c: undefined };

/** After silence, stdin is closed although something holds it: all but a turn, a question, a request and an agent. */
function mayCap(facts: readonly Fact[], { closeRule, needStdin }: Plan): boolean {
  const count = (fact: Fact) => facts.filter((other) => other === fact).length;
  const lastTasks = facts.findLast((fact) => typeof fact === 'object' && 'tasks' in fact);
  const live = typeof lastTasks === 'object' && 'tasks' in lastTasks ? lastTasks.tasks : [];
  return (
    needStdin &&
    closeRule !== 'held' &&
    facts.reduce(
      (open, fact) => (fact === 'source' ? open + 1 : fact === 'end of input' ? Math.max(0, open - 1) : open),
      1,
    ) === 0 &&
    count('request') === count('request over') &&
    count('ask') === count('ask over') &&
    facts.lastIndexOf('user') <= facts.lastIndexOf('result') &&
    !live.some((id) => TASK_TYPES[id] === 'local_agent')
  );
}

/** Each result answers one message; `idle` after a result, all that were written before it. */
function unanswered(facts: readonly Fact[]): number {
  let waiting = 0;
  let queued = 0;
  for (const fact of facts) {
    if (fact === 'user') waiting += 1;
    else if (fact === 'result') {
      waiting = Math.max(0, waiting - 1);
      queued = waiting;
    } else if (typeof fact === 'object' && 'state' in fact && fact.state === 'idle') {
      waiting -= queued;
      queued = 0;
    }
  }
  return waiting;
}

/** Plays steps against a session and keeps the books. */
class World {
  readonly facts: Fact[] = [];
  readonly outbound: { settledTimes: number; abort: AbortController }[] = [];
  readonly inbound = new Map<string, { answer: Deferred<unknown>; excused: boolean; open: boolean }>();
  readonly session: TestSession;
  readonly #plan: Plan;
  #live: string[] = [];
  #dialogs = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const ask = (id: string) => this.inbound.get(id)!.answer.promise as Promise<never>;
    const canUseTool: CanUseTool = (_name, _input, { requestId }) => ask(requestId);
    const hook: HookCallback = (input) => ask(String((input as unknown as JsonObject).id));
    this.session = startSession({
      policy: { closeRule: plan.closeRule, answerAfterCancel: plan.answerAfterCancel },
      callbacks: {
        canUseTool,
        hooks: [{ callbackId: 'hook_0', event: 'PreToolUse', callback: hook }],
        needStdin: plan.needStdin,
      },
    });
  }

  async play(step: Step): Promise<void> {
    const { peer, controller } = this.session;
    switch (step.do) {
      case 'user':
        if (!controller.isInputOpen) return;
        this.facts.push('user');
        controller.sendUserMessage(USER);
        return;
      case 'result':
        this.facts.push('result');
        peer.emit(RESULT);
        return;
      case 'source':
        this.facts.push('source');
        controller.stdin.inputStarted();
        return;
      case 'end of input':
        this.facts.push('end of input');
        controller.stdin.inputEnded();
        return;
      case 'request':
        this.#request();
        return;
      case 'answer':
      case 'refuse':
      case 'abort':
        await this.#endRequest(step.do, step.pick);
        return;
      case 'ask':
        this.#ask();
        return;
      case 'dialog':
        this.#dialogs += 1;
        peer.ask(`dialog-${this.#dialogs}`, 'request_user_dialog', { dialog_kind: 'k' });
        return;
      case 'again': {
        const id = this.#openAsk(step.pick);
        if (id !== undefined) peer.ask(id, 'can_use_tool');
        return;
      }
      case 'cancel':
        this.#cancel(step.pick);
        return;
      case 'settle':
        await this.#settleAsk(step.pick, step.how);
        return;
      case 'state':
        if (!this.#plan.hasStates) return;
        this.facts.push({ state: step.state });
        peer.emit(state(step.state));
        return;
      case 'task':
        this.#task(step.event, step.id);
        return;
      case 'tasks':
        this.#replaceTasks(step.ids);
        return;
    }
  }

  #request(): void {
    const { controller } = this.session;
    const entry = { settledTimes: 0, abort: new AbortController() };
    const isOpen = controller.isInputOpen;
    if (isOpen) this.facts.push('request');
    const done = () => {
      entry.settledTimes += 1;
    };
    controller.requests.send('mcp_status', {}, { signal: entry.abort.signal }).then(done, done);
    if (isOpen) this.outbound.push(entry);
  }

  async #endRequest(how: 'answer' | 'refuse' | 'abort', index: number): Promise<void> {
    const { peer } = this.session;
    const open = this.outbound.flatMap((entry, at) => (entry.settledTimes === 0 ? [at] : []));
    const at = open[index % Math.max(1, open.length)];
    if (at === undefined) return;
    const request_id = peer.of('mcp_status')[at]!.request_id;
    this.facts.push('request over');
    if (how === 'abort') this.outbound[at]!.abort.abort();
    else {
      peer.emit({
        type: 'control_response',
        response: { subtype: how === 'answer' ? 'success' : 'error', request_id },
      });
    }
    await settle();
  }

  #ask(): void {
    const { peer } = this.session;
    const id = `ask-${this.inbound.size}`;
    const isHook = this.inbound.size % 2 === 1;
    this.facts.push('ask');
    this.inbound.set(id, { answer: createDeferred<unknown>(), excused: peer.isInputEnded, open: true });
    if (isHook) peer.ask(id, 'hook_callback', { callback_id: 'hook_0', input: { id } });
    else peer.ask(id, 'can_use_tool');
  }

  #openAsk(index: number, includeCancelled = false): string | undefined {
    const ids = [...this.inbound]
      .filter(([, entry]) => entry.open || (includeCancelled && entry.excused))
      .map(([id]) => id);
    return ids[index % Math.max(1, ids.length)];
  }

  #cancel(index: number): void {
    const id = this.#openAsk(index);
    if (id === undefined) return;
    Object.assign(this.inbound.get(id)!, { excused: true, open: false });
    this.facts.push('ask over');
    this.session.peer.cancel(id);
  }

  async #settleAsk(index: number, how: 'value' | 'null' | 'bad' | 'throw'): Promise<void> {
    const id = this.#openAsk(index, true);
    if (id === undefined) return;
    const entry = this.inbound.get(id)!;
    const isHook = Number(id.slice(4)) % 2 === 1;
    if (how === 'null' && !isHook) entry.excused = true;
    if (entry.open) this.facts.push('ask over');
    entry.open = false;
    if (how === 'throw') entry.answer.reject(new Error('broken'));
    else {
      const value = isHook ? {} : { behavior: 'allow' };
      entry.answer.resolve(how === 'value' ? value : how === 'null' ? null : 'bad');
    }
    await settle();
  }

  #task(event: 'start' | 'finish' | 'stop', id: string): void {
    const isLive = this.#live.includes(id);
    if (event === 'start') {
      if (!isLive) this.#setTasks([...this.#live, id], false);
      this.#system('task_started', { task_id: id, task_type: TASK_TYPES[id], is_backgrounded: true });
      return;
    }
    const rest = this.#live.filter((other) => other !== id);
    if (isLive) this.#setTasks(rest, event === 'finish');
    const status = event === 'finish' ? 'completed' : 'stopped';
    this.#system('task_notification', { task_id: id, status });
  }

  #replaceTasks(ids: readonly string[]): void {
    this.#setTasks(
      ids,
      this.#live.some((id) => !ids.includes(id)),
    );
    this.#system('background_tasks_changed', {
      tasks: ids.map((task_id) => ({ task_id, task_type: TASK_TYPES[task_id] })),
    });
  }

  #setTasks(tasks: readonly string[], finished: boolean): void {
    this.#live = [...tasks];
    this.facts.push({ tasks, finished });
  }

  #system(subtype: string, fields: JsonObject): void {
    this.session.peer.emit({ type: 'system', subtype, ...fields });
  }
}

/** More runs in the long fuzz. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

test('whatever the order: stdin closes when the rules say so and not earlier, every request settles once, every question gets at most one answer', async () => {
  // Of the cap.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let closedByRule = 0;
  let closedByCap = 0;
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom('exit 0', 'exit 1', 'shutdown'),
      async (chosen, steps, end) => {
        const world = new World(chosen);
        const { peer, controller } = world.session;
        let shouldBeClosed = false;
        for (const next of steps) {
          await world.play(next);
          // A callback starts in one, stdin closes in the other.
          await nextTurn();
          await nextTurn();
          shouldBeClosed ||= mayClose(world.facts, chosen);
          expect(peer.isInputEnded, JSON.stringify(next)).toBe(shouldBeClosed);
        }
        if (shouldBeClosed) closedByRule += 1;
        vi.advanceTimersByTime(700_000);
        if (!shouldBeClosed && peer.isInputEnded) closedByCap += 1;
        expect(peer.isInputEnded, 'after silence').toBe(shouldBeClosed || mayCap(world.facts, chosen));

        for (const [id, { open, excused }] of world.inbound) {
          const answers = peer.answersTo(id).length;
          expect(answers).toBeLessThanOrEqual(1);
          if (!open && !excused) expect(answers, id).toBe(1);
        }
        expect(peer.of('control_response').some((frame) => isDialogAnswer(frame))).toBe(false);

        if (end === 'shutdown') controller.shutdown(new Error('over'));
        else if (end === 'exit 1') peer.end(EXIT_1);
        else peer.end();
        const written = peer.received.length;
        for (const { answer } of world.inbound.values()) answer.resolve({ behavior: 'allow' });
        await settle();
        expect(world.outbound.every(({ settledTimes }) => settledTimes === 1)).toBe(true);
        expect(peer.received.length).toBe(written);
        expect(controller.inbound.openCount).toBe(0);
        expect(controller.pendingRequestCount).toBe(0);
      },
    ),
    { numRuns: RUNS },
  );
  // Otherwise the property would say nothing about closing.
  expect(closedByRule).toBeGreaterThan(RUNS / 20);
  expect(closedByCap).toBeGreaterThan(0);
});

function isDialogAnswer(frame: JsonObject): boolean {
  return String((frame.response as JsonObject).request_id).startsWith('dialog');
}

const word = fc.constantFrom(
  'control_request',
  'control_response',
  'control_cancel_request',
  'system',
  'result',
  'init',
  'hook_started',
  'hook_response',
  'session_state_changed',
  'task_started',
  'task_updated',
  'task_notification',
  'background_tasks_changed',
  'can_use_tool',
  'hook_callback',
  'mcp_message',
  'elicitation',
  'request_user_dialog',
  'initialize',
  'success',
  'error',
  '__proto__',
);
const key = fc.constantFrom(
  'type',
  'subtype',
  'request_id',
  'request',
  'response',
  'tasks',
  'task_id',
  'patch',
  'status',
  'state',
  'callback_id',
  'server_name',
  'message',
  'pending_permission_requests',
  'permission_suggestions',
  'matched_ask_rule',
);
const { value: garbage } = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.jsonValue({ maxDepth: 1 }),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
}));
const frame = fc
  .tuple(word, fc.dictionary(key, garbage, { maxKeys: 6 }))
  .map(([type, fields]): JsonObject => ({ type, ...fields }));

test('garbage never throws, and the session goes on (PY-130)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(frame, fc.dictionary(key, garbage)), { maxLength: 12 }), async (frames) => {
      const { peer, controller } = startSession({
        callbacks: {
          canUseTool: async () => ({ behavior: 'allow' }),
          hooks: [{ callbackId: 'hook_0', event: 'Stop', callback: async () => ({}) }],
        },
      });
      peer.emit(...(frames as JsonObject[]));
      await settle();
      const answered = controller.requests.send('mcp_status');
      peer.succeed('mcp_status', { alive: true });
      expect(await answered).toEqual({ alive: true });
      peer.ask('a real one', 'can_use_tool');
      await settle();
      expect(peer.answersTo('a real one').length).toBeGreaterThan(0);
      peer.end();
    }),
    { numRuns: RUNS },
  );
});
