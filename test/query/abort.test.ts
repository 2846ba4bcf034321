import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortError } from '../../src/query/query-session.js';
import { onAbort } from '../../src/util/on-abort.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('fifty sessions of one signal put one listener on it, and the last takes it off', () => {
  const { signal } = new AbortController();
  const takeBack = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
  expect(listenersOf(signal)).toBe(1);
  for (const forget of takeBack.slice(1)) forget();
  expect(listenersOf(signal)).toBe(1);
  takeBack[0]?.();
  takeBack[0]?.();
  expect(listenersOf(signal)).toBe(0);
});

test('an abort reaches every action that was not taken back, once, even if the first takes others back', () => {
  const controller = new AbortController();
  const reached: string[] = [];
  onAbort(controller.signal, () => reached.push('first'));
  onAbort(controller.signal, () => reached.push('second'));
  onAbort(controller.signal, () => reached.push('never'))();
  controller.abort();
  controller.abort();
  expect(reached).toEqual(['first', 'second']);
});

test('a signal is watched again after everything was taken back', () => {
  const controller = new AbortController();
  onAbort(controller.signal, () => {})();
  let reached = 0;
  onAbort(controller.signal, () => {
    reached += 1;
  });
  controller.abort();
  expect(reached).toBe(1);
});

test('the error keeps the caller’s reason as its cause', () => {
  const reason = new Error('shutdown');
  expect(abortError(AbortSignal.abort(reason))).toMatchObject({ name: 'AbortError', cause: reason });
});
