import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventFeed } from '../../src/events/event-feed.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a log without `watch()` is asked once for all viewers, and each gets what another host wrote', async () => {
  const memory = new InMemoryEventLog();
  const key = { tenant: 'ada', id: '5704e000-0000-4000-8000-000000000009' };
  await memory.append(key, [{ type: 'user_message', text: 'Hi' }]);
  const read = vi.fn(memory.read.bind(memory));
  const feed = new EventFeed(
    { ...{ append: memory.append.bind(memory), read, remove: memory.remove.bind(memory) }, pollMs: 500 },
    key,
  );
  const viewers = Array.from({ length: 50 }, () => feed.follow(1));
  const seen = viewers.map((viewer) => viewer.next());
  await vi.advanceTimersByTimeAsync(600);
  read.mockClear();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(read.mock.calls.length).toBe(10);
  await memory.append(key, [{ type: 'turn_ended', outcome: 'completed' }]);
  await vi.advanceTimersByTimeAsync(500);
  const ids = (await Promise.all(seen)).map((result) => (result.done === true ? undefined : result.value.id));
  expect(ids).toEqual(Array(50).fill(2));
  for (const viewer of viewers) await viewer.return();
  expect(vi.getTimerCount()).toBe(0);
});

test('a failing log ends every viewer with what it says, and leaves no timer', async () => {
  const memory = new InMemoryEventLog();
  const key = { tenant: 'ada', id: '5704e000-0000-4000-8000-000000000009' };
  const read = vi.fn(memory.read.bind(memory));
  const feed = new EventFeed(
    { ...{ append: memory.append.bind(memory), read, remove: memory.remove.bind(memory) }, pollMs: 500 },
    key,
  );
  const failed = expect(feed.follow(0).next()).rejects.toThrow('disk');
  await vi.advanceTimersByTimeAsync(0);
  read.mockRejectedValue(new Error('disk'));
  await vi.advanceTimersByTimeAsync(500);
  await failed;
  expect(vi.getTimerCount()).toBe(0);
});

// V-3
test('a log that is watched is read once in half a minute while nothing happens, and once for each call', async () => {
  const memory = new InMemoryEventLog();
  const key = { tenant: 'ada', id: '5704e000-0000-4000-8000-000000000009' };
  await memory.append(key, [{ type: 'user_message', text: 'Hi' }]);
  const read = vi.fn(memory.read.bind(memory));
  let told = (): void => {};
  const watch = async (_: unknown, onAppend: () => void) => {
    told = onAppend;
    return () => {};
  };
  const log = { append: memory.append.bind(memory), read, remove: memory.remove.bind(memory), watch, pollMs: 500 };
  const feed = new EventFeed(log, key);
  const viewers = Array.from({ length: 50 }, () => feed.follow(1));
  const seen = viewers.map((viewer) => viewer.next());
  await vi.advanceTimersByTimeAsync(1_000);
  read.mockClear();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(read.mock.calls.length).toBe(10);
  // For nothing: as when this host has appended itself.
  told();
  told();
  await vi.advanceTimersByTimeAsync(0);
  expect(read.mock.calls.length).toBe(12);
  expect(await feed.endsInTurn(true)).toBe(true);
  expect(read.mock.calls.map(([, , limit]) => limit).filter((limit) => limit !== 0)).toEqual([1]);
  await memory.append(key, [{ type: 'turn_ended', outcome: 'completed' }]);
  told();
  const ids = (await Promise.all(seen)).map((result) => (result.done === true ? undefined : result.value.id));
  expect(ids).toEqual(Array(50).fill(2));
  for (const viewer of viewers) await viewer.return();
  expect(vi.getTimerCount()).toBe(0);
});
