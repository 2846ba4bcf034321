import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  createEvent,
  generateSessionId,
  isAgentEvent,
} from '../../../src/adapter/agent/agent-event.js';
import type { AgentAdapter, AgentOptions } from '../../../src/adapter/agent/agent-types.js';
import { AdapterRegistry, type ParallelTask, runAgent, runParallel } from '../../../src/adapter/agent/run-agent.js';
import { supervisedRun } from '../../../src/adapter/agent/supervised-run.js';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';

type Body = (options: AgentOptions) => AsyncGenerator<AgentEvent, void, void>;

const text = (content: string): AgentEvent => createEvent('text', 'fake', { content }, 's1');
const done = (result = 'ok'): AgentEvent =>
  createEvent(
    'done',
    'fake',
    {
      status: 'success',
      result,
      usage: { inputTokens: 1, outputTokens: 1, toolUses: 0, reported: true },
      durationMs: 1,
    },
    's1',
  );

/** An adapter whose run is the body, and how often it was run and left. */
function fakeAdapter(body: Body, agent = 'fake') {
  const counts = { runs: 0, left: 0 };
  const adapter: AgentAdapter = {
    agent,
    isAvailable: async () => true,
    run: (_prompt, options = {}) => {
      counts.runs += 1;
      const run = body(options);
      const { return: leave } = run;
      run.return = (value) => {
        counts.left += 1;
        return leave.call(run, value);
      };
      return run;
    },
  };
  return { adapter, counts };
}

function registryOf(body: Body) {
  const fake = fakeAdapter(body);
  const registry = new AdapterRegistry();
  registry.register(fake.adapter);
  return { registry, ...fake };
}

async function collect(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const aborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });

const never = (): Promise<never> => new Promise(() => {});

/** A clock whose timers fire when they are told to. */
function handClock() {
  const timers = new Set<{ readonly ms: number; readonly fn: () => void }>();
  return {
    now: () => 0,
    monotonic: () => 0,
    setTimer: (ms: number, fn: () => void) => {
      const timer = { ms, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pending: () => [...timers].map(({ ms }) => ms),
    fire: () => {
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer.fn();
      }
    },
  };
}

describe('the registry', () => {
  test('a second adapter of the same name is refused; unregister says whether there was one (AD-365)', () => {
    const registry = new AdapterRegistry();
    const { adapter } = fakeAdapter(async function* () {});
    registry.register(adapter);
    expect(() => registry.register(fakeAdapter(async function* () {}).adapter)).toThrow(AdapterConfigError);
    expect(registry.get('fake')).toBe(adapter);
    expect(registry.list()).toEqual(['fake']);
    expect(registry.unregister('fake')).toBe(true);
    expect(registry.unregister('fake')).toBe(false);
    expect(registry.get('fake')).toBeUndefined();
    expect(registry.list()).toEqual([]);
  });

  test('what is no adapter is refused', () => {
    const registry = new AdapterRegistry();
    expect(() => registry.register({ agent: '' } as AgentAdapter)).toThrow('must have a name');
    expect(() => registry.register({ agent: 'x' } as AgentAdapter)).toThrow('`run()`');
  });
});

describe('events', () => {
  test('createEvent fills in what every event has', () => {
    const event = createEvent('text', 'mine', { content: 'Hi' });
    expect(event).toEqual({
      type: 'text',
      agent: 'mine',
      timestamp: expect.any(Number),
      sessionId: expect.stringMatching(/^[\da-f-]{36}$/),
      payload: { content: 'Hi' },
    });
    expect(createEvent('mine:x', 'mine', {}, 's', { parentToolUseId: 'p' })).toMatchObject({
      sessionId: 's',
      metadata: { parentToolUseId: 'p' },
    });
    expect(generateSessionId()).not.toBe(generateSessionId());
  });

  test.each([
    [createEvent('text', 'mine', { content: '' }), true],
    [null, false],
    [{ ...createEvent('text', 'mine', { content: '' }), payload: undefined }, false],
    [{ ...createEvent('text', 'mine', { content: '' }), timestamp: '1' }, false],
    [{ ...createEvent('text', 'mine', { content: '' }), sessionId: 1 }, false],
    ['text', false],
  ])('isAgentEvent(%j) is %s', (value, is) => {
    expect(isAgentEvent(value)).toBe(is);
  });
});

describe('runAgent', () => {
  test('an unknown name throws at once, with the known ones (AD-366)', () => {
    const { registry } = registryOf(async function* () {});
    expect(() => runAgent('other', 'Hi', {}, registry)).toThrow(/No agent is named other.*fake/);
  });

  test('an adapter that keeps the contract is passed on', async () => {
    const { registry, counts } = registryOf(async function* () {
      yield text('a');
      yield done();
    });
    const events = await collect(runAgent('fake', 'Hi', undefined, registry));
    expect(events).toEqual([text('a'), done()].map((event) => ({ ...event, timestamp: expect.any(Number) })));
    expect(counts).toEqual({ runs: 1, left: 1 });
  });

  test.each([
    {
      name: 'in the middle',
      body: async function* () {
        yield text('a');
        throw new Error('broken');
      } satisfies Body,
      before: [{ type: 'text' }],
    },
    {
      name: 'when it is called',
      body: (() => {
        throw new Error('broken');
      }) satisfies Body,
      before: [],
    },
  ])('an adapter that throws $name gives ADAPTER_ERROR and `done` `error` (AD-367)', async ({ body, before }) => {
    const { registry } = registryOf(body);
    expect(await collect(runAgent('fake', 'Hi', {}, registry))).toMatchObject([
      ...before,
      { type: 'error', agent: 'fake', payload: { code: 'ADAPTER_ERROR', message: 'broken', recoverable: false } },
      { type: 'done', payload: { status: 'error', usage: { reported: false } } },
    ]);
  });

  test('an adapter that throws undefined, or gives what is no event, has failed too', async () => {
    const throwing = registryOf(async function* () {
      yield text('a');
      throw undefined;
    });
    expect(await collect(runAgent('fake', 'Hi', {}, throwing.registry))).toMatchObject([
      { type: 'text' },
      { type: 'error', payload: { code: 'ADAPTER_ERROR' } },
      { type: 'done' },
    ]);
    const odd = registryOf(async function* () {
      yield null as unknown as AgentEvent;
    });
    expect(await collect(runAgent('fake', 'Hi', {}, odd.registry))).toMatchObject([
      { type: 'error', payload: { code: 'ADAPTER_ERROR', message: expect.stringContaining('null') } },
      { type: 'done' },
    ]);
  });

  test('an adapter that ends without `done` gives MISSING_DONE and `done` `error` (AD-368)', async () => {
    const { registry } = registryOf(async function* () {
      yield text('a');
    });
    const events = await collect(runAgent('fake', 'Hi', {}, registry));
    expect(events).toMatchObject([
      { type: 'text' },
      { type: 'error', payload: { code: 'MISSING_DONE', recoverable: false } },
      { type: 'done', payload: { status: 'error' } },
    ]);
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set(['s1']));
  });

  test('nothing comes after `done`, and the adapter is left (AD-369)', async () => {
    const { registry, counts } = registryOf(async function* () {
      yield done();
      yield text('late');
      yield done('again');
    });
    expect(await collect(runAgent('fake', 'Hi', {}, registry))).toMatchObject([{ type: 'done' }]);
    expect(counts.left).toBe(1);
  });

  test('an aborted signal gives `done` `interrupted`, and run() is not called (AD-370)', async () => {
    const { registry, counts } = registryOf(async function* () {
      yield done();
    });
    const abortSignal = AbortSignal.abort();
    expect(await collect(runAgent('fake', 'Hi', { abortSignal }, registry))).toMatchObject([
      { type: 'done', payload: { status: 'interrupted' } },
    ]);
    expect(counts.runs).toBe(0);
  });

  test('after an abort the adapter’s own `done` counts when it comes in time', async () => {
    const controller = new AbortController();
    const { registry } = registryOf(async function* ({ abortSignal }) {
      yield text('a');
      await aborted(abortSignal);
      yield done('its own');
    });
    const events: AgentEvent[] = [];
    for await (const event of runAgent('fake', 'Hi', { abortSignal: controller.signal }, registry)) {
      events.push(event);
      controller.abort();
    }
    expect(events).toMatchObject([{ type: 'text' }, { payload: { result: 'its own' } }]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('after an abort an adapter that hangs is waited for 500 ms, and not for its return()', async () => {
    const controller = new AbortController();
    const clock = handClock();
    const { adapter } = fakeAdapter(async function* () {
      yield text('a');
      await never();
    });
    const run = supervisedRun(adapter, 'Hi', { abortSignal: controller.signal }, clock);
    expect(await run.next()).toMatchObject({ value: { type: 'text' } });
    const waiting = run.next();
    controller.abort();
    expect(clock.pending()).toEqual([500]);
    clock.fire();
    expect(await waiting).toMatchObject({
      value: { type: 'done', sessionId: 's1', payload: { status: 'interrupted' } },
    });
    expect(await run.next()).toEqual({ done: true, value: undefined });
    expect(clock.pending()).toEqual([]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('an adapter that breaks after an abort was interrupted, not wrong', async () => {
    const controller = new AbortController();
    const { registry } = registryOf(async function* ({ abortSignal }) {
      yield text('a');
      await aborted(abortSignal);
      throw new Error('aborted');
    });
    const run = runAgent('fake', 'Hi', { abortSignal: controller.signal }, registry);
    await run.next();
    controller.abort();
    expect(await collect(run)).toMatchObject([{ payload: { status: 'interrupted' } }]);
  });

  test('leaving a hanging adapter is bounded', async () => {
    const clock = handClock();
    const { adapter } = fakeAdapter(async function* () {
      yield text('a');
      await never();
    });
    const run = supervisedRun(adapter, 'Hi', {}, clock);
    await run.next();
    const waiting = run.next();
    const left = run.return();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pending()).toEqual([10_000]);
    clock.fire();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await left).toEqual({ done: true, value: undefined });
  });
});

describe('runParallel', () => {
  test('of three tasks one throws: three `done`, and the other two complete (AD-371)', async () => {
    const good = (name: string) =>
      fakeAdapter(async function* () {
        yield text(`${name} 1`);
        // The one that throws is long over by then.
        for (let turn = 0; turn < 3; turn += 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        yield done(name);
      }).adapter;
    const { adapter: bad } = fakeAdapter(async function* () {
      yield text('bad');
      throw new Error('broken');
    });
    const events = await collect(
      runParallel([
        { adapter: good('first'), prompt: 'a' },
        { adapter: bad, prompt: 'b' },
        { adapter: good('third'), prompt: 'c', options: {} },
      ]),
    );
    const of = (taskIndex: number) => events.filter(({ metadata }) => metadata?.taskIndex === taskIndex);
    expect(of(0)).toMatchObject([{ payload: { content: 'first 1' } }, { payload: { result: 'first' } }]);
    expect(of(1)).toMatchObject([
      { payload: { content: 'bad' } },
      { type: 'error', payload: { code: 'ADAPTER_ERROR' } },
      { type: 'done', payload: { status: 'error' } },
    ]);
    expect(of(2)).toMatchObject([{ payload: { content: 'third 1' } }, { payload: { result: 'third' } }]);
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(3);
  });

  test('events come as they arrive, not task by task', async () => {
    const { adapter: slow } = fakeAdapter(async function* () {
      await new Promise((resolve) => setImmediate(resolve));
      yield done('slow');
    });
    const { adapter: fast } = fakeAdapter(async function* () {
      yield text('1');
      yield done('fast');
    });
    const events = await collect(
      runParallel([
        { adapter: slow, prompt: 'a' },
        { adapter: fast, prompt: 'b' },
      ]),
    );
    expect(events.map(({ metadata }) => metadata?.taskIndex)).toEqual([1, 1, 0]);
  });

  test('the signal gives one `done` `interrupted` for each unfinished task (AD-372)', async () => {
    const controller = new AbortController();
    const waiting = (): AgentAdapter =>
      fakeAdapter(async function* ({ abortSignal }) {
        yield text('a');
        await aborted(abortSignal);
      }).adapter;
    const { adapter: quick } = fakeAdapter(async function* () {
      yield done('quick');
    });
    const events: AgentEvent[] = [];
    const tasks = [waiting(), quick, waiting()].map((adapter) => ({ adapter, prompt: 'x' }));
    for await (const event of runParallel(tasks, { signal: controller.signal })) {
      events.push(event);
      if (events.length === 3) controller.abort();
    }
    const ends = events.flatMap((event) =>
      event.type === 'done' ? [[event.metadata?.taskIndex, event.payload.status]] : [],
    );
    expect(ends.sort()).toEqual([
      [0, 'interrupted'],
      [1, 'success'],
      [2, 'interrupted'],
    ]);
  });

  test('a task’s own signal ends that task only', async () => {
    const controller = new AbortController();
    const { adapter } = fakeAdapter(async function* ({ abortSignal }) {
      if (abortSignal === undefined) yield done();
      else await aborted(abortSignal);
    });
    const run = runParallel([
      { adapter, prompt: 'a', options: { abortSignal: controller.signal } },
      { adapter, prompt: 'b' },
    ]);
    expect(await run.next()).toMatchObject({ value: { metadata: { taskIndex: 1 } } });
    controller.abort();
    expect(await collect(run)).toMatchObject([{ metadata: { taskIndex: 0 }, payload: { status: 'interrupted' } }]);
  });

  test('leaving the loop ends every task, also those that wait', async () => {
    const fakes = [0, 1, 2].map(() =>
      fakeAdapter(async function* () {
        yield text('a');
        yield text('b');
        yield done();
      }),
    );
    for await (const _event of runParallel(fakes.map(({ adapter }) => ({ adapter, prompt: 'x' })))) {
      break;
    }
    expect(fakes.map(({ counts }) => counts.left)).toEqual([1, 1, 1]);
  });

  test.each([
    { name: 'no adapter', task: { adapter: undefined, prompt: 'x' } },
    { name: 'what is no adapter', task: { adapter: {}, prompt: 'x' } },
    { name: 'nothing', task: undefined },
    {
      name: 'an adapter whose name throws',
      task: {
        adapter: {
          get agent(): string {
            throw new Error('broken');
          },
        },
        prompt: 'x',
      },
    },
    {
      name: 'an adapter whose event throws when it is read',
      task: {
        adapter: fakeAdapter(async function* () {
          yield {
            ...text('a'),
            get payload(): never {
              throw new Error('broken');
            },
          };
        }).adapter,
        prompt: 'x',
      },
    },
    {
      name: 'an adapter whose event has metadata that throws',
      task: {
        adapter: fakeAdapter(async function* () {
          yield {
            ...text('a'),
            metadata: {
              get parentToolUseId(): string {
                throw new Error('broken');
              },
            },
          };
        }).adapter,
        prompt: 'x',
      },
    },
    {
      name: 'a signal that is none',
      task: {
        adapter: fakeAdapter(() => {
          throw new TypeError('no signal');
        }).adapter,
        prompt: 'x',
        options: { abortSignal: {} },
      },
    },
    {
      name: 'no options',
      task: {
        adapter: fakeAdapter(() => {
          throw new TypeError('no options');
        }).adapter,
        prompt: 'x',
        options: null,
      },
    },
  ])('a task of $name ends with its own `done`, and the others go on', async ({ task }) => {
    const { adapter: good } = fakeAdapter(async function* () {
      yield done('good');
    });
    const { signal } = new AbortController();
    const tasks = [task, { adapter: good, prompt: 'y' }] as unknown as ParallelTask[];
    for (const options of [{}, { signal }]) {
      const events = await collect(runParallel(tasks, options));
      const of = (index: number) => events.filter(({ metadata }) => metadata?.taskIndex === index);
      expect(of(0)).toMatchObject([
        { type: 'error', payload: { code: 'ADAPTER_ERROR' } },
        { type: 'done', payload: { status: 'error' } },
      ]);
      expect(of(1)).toMatchObject([{ type: 'done', payload: { result: 'good' } }]);
    }
  });

  test('no tasks, no events', async () => {
    expect(await collect(runParallel([]))).toEqual([]);
  });

  test('an option that does not exist is refused at once, not dropped', () => {
    const options = { abortSignal: AbortSignal.abort() };
    expect(() => runParallel([], options as { signal?: AbortSignal })).toThrow('`options` has no `abortSignal`');
  });
});
