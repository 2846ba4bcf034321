import { expect, test } from 'vitest';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import { defineEvent } from '../../../src/adapter/state/keys.js';
import { recordingLogger } from '../agent/recording-logger.js';

interface Ping {
  readonly type: 'ping';
}
const Ping = defineEvent<Ping>('ping');
const ping: Ping = { type: 'ping' };

test('a handler that throws does not stop the others, and the result says so (AD-056)', () => {
  const logger = recordingLogger();
  const bus = new InProcessEventBus({ logger });
  const calls: string[] = [];
  const failure = new Error('no');
  const handlers = [
    () => calls.push('first'),
    function second(): never {
      throw failure;
    },
    () => calls.push('third'),
  ];
  for (const handler of handlers) bus.subscribe(Ping, handler);
  const result = bus.publish(ping);
  expect(calls).toEqual(['first', 'third']);
  expect(result).toMatchObject({ event: ping, handledCount: 3, ok: false });
  expect(result.handlersInvoked).toEqual(handlers);
  expect(result.errors).toEqual([{ handler: handlers[1], error: failure }]);
  expect(logger.records).toEqual([
    {
      level: 'error',
      message: 'claude_agent_sdk.event_delivery_failed',
      event: 'event_delivery_failed',
      context: { handler: 'second', type: 'ping', error: 'no' },
    },
  ]);
});

test('raiseIfErrors() throws an AggregateError with what the handler threw (AD-057)', () => {
  const bus = new InProcessEventBus();
  const failure = new Error('no');
  bus.publish(ping).raiseIfErrors();
  bus.subscribe(Ping, () => {
    throw failure;
  });
  let thrown: unknown;
  try {
    bus.publish(ping).raiseIfErrors();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(AggregateError);
  expect((thrown as AggregateError).errors).toEqual([failure]);
});

test('unsubscribe() says whether there was such a handler, which is not called again (AD-058)', () => {
  const bus = new InProcessEventBus();
  let calls = 0;
  const handler = (): void => {
    calls += 1;
  };
  expect(bus.unsubscribe(Ping, handler)).toBe(false);
  bus.subscribe(Ping, handler);
  bus.publish(ping);
  expect(bus.unsubscribe(Ping, handler)).toBe(true);
  bus.publish(ping);
  expect(calls).toBe(1);
  expect(bus.unsubscribe(Ping, handler)).toBe(false);
});

test('the function that subscribe() returns ends its own subscription once', () => {
  const bus = new InProcessEventBus();
  let calls = 0;
  const handler = (): void => {
    calls += 1;
  };
  const end = bus.subscribe(Ping, handler);
  bus.subscribe(Ping, handler);
  end();
  end();
  bus.publish(ping);
  expect(calls).toBe(1);
});

test('a handler whose promise rejects is logged, and there is no unhandled rejection (AD-059)', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listener);
  try {
    const logger = recordingLogger();
    const bus = new InProcessEventBus({ logger });
    bus.subscribe(Ping, async () => {
      throw new Error('later');
    });
    expect(bus.publish(ping)).toMatchObject({ ok: true, handledCount: 1 });
    // Rejections are reported after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    expect(logger.records.map(({ event, context }) => [event, context.error])).toEqual([
      ['event_delivery_failed', 'later'],
    ]);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listener);
  }
});

test('a handler that is subscribed during delivery gets the next event (AD-060)', () => {
  const bus = new InProcessEventBus();
  let calls = 0;
  let isFirst = true;
  bus.subscribe(Ping, () => {
    if (isFirst) bus.subscribe(Ping, () => (calls += 1));
    isFirst = false;
  });
  expect(bus.publish(ping).handledCount).toBe(1);
  expect(calls).toBe(0);
  bus.publish(ping);
  expect(calls).toBe(1);
});

test('a handler that is taken away during delivery is still called for this event', () => {
  const bus = new InProcessEventBus();
  const calls: string[] = [];
  const second = (): void => void calls.push('second');
  bus.subscribe(Ping, () => bus.unsubscribe(Ping, second));
  bus.subscribe(Ping, second);
  bus.publish(ping);
  bus.publish(ping);
  expect(calls).toEqual(['second']);
});

test('instances go to those who named their class, plain objects by their type', () => {
  class Base {
    readonly type = 'ping';
  }
  class Derived extends Base {}
  const bus = new InProcessEventBus();
  const calls: string[] = [];
  bus.subscribe(Base, () => calls.push('base'));
  bus.subscribe(Derived, () => calls.push('derived'));
  bus.subscribe(Ping, () => calls.push('token'));
  bus.publish(new Base());
  bus.publish(new Derived());
  bus.publish(ping);
  bus.publish({});
  expect(calls).toEqual(['base', 'derived', 'token']);
});
