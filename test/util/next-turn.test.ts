import { mock } from 'node:test';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  mock.timers.reset();
  vi.useRealTimers();
  vi.resetModules();
});

test('a microtask comes where a test has replaced queueMicrotask, as jest does', async () => {
  const { inMicrotask } = await load();
  vi.stubGlobal('queueMicrotask', () => {});
  const order: string[] = [];
  inMicrotask(() => order.push('microtask'));
  order.push('now');
  await Promise.resolve();
  vi.unstubAllGlobals();
  expect(order).toEqual(['now', 'microtask']);
});

/** The module, loaded anew: it keeps what it finds when it is loaded. */
async function load() {
  vi.resetModules();
  return import('../../src/util/next-turn.js');
}

test.each([
  ['nobody', () => {}],
  ['vitest', () => vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout'] })],
  ['node:test', () => mock.timers.enable({ apis: ['setImmediate', 'setTimeout'] })],
])('comes after the reactions of promises where %s has stopped the clock', async (_, stop) => {
  stop();
  const { inNextTurn } = await load();
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    inNextTurn(() => {
      order.push('next turn');
      resolve();
    });
    void Promise.resolve().then(() => Promise.resolve().then(() => order.push('reaction')));
  });
  expect(order).toEqual(['reaction', 'next turn']);
});
