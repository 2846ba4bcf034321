import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventFeed } from '../../src/events/event-feed.js';
import type { EventLog } from '../../src/events/event-log.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { newGate } from '../helpers/gate.js';
import { tempFolder } from '../helpers/temp-folder.js';

const KEY = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000001' };
const said = (text: string) => ({ type: 'user_message', text }) as const;

/** What one viewer sees that leaves and comes back after each of `stops` events. */
async function viewWithBreaks(feed: EventFeed, stops: readonly number[]): Promise<readonly number[]> {
  const seen: number[] = [];
  let breaks = 0;
  for (;;) {
    let left = stops[breaks] ?? Number.POSITIVE_INFINITY;
    breaks += 1;
    let wasLeft = false;
    for await (const { id } of feed.follow(seen.at(-1) ?? 0)) {
      seen.push(id);
      left -= 1;
      wasLeft = left <= 0;
      if (wasLeft) break;
    }
    if (!wasLeft) return seen;
  }
}

test.each<[string, (folder: string) => EventLog]>([
  ['memory', () => new InMemoryEventLog()],
  ['files', (folder) => new FileEventLog(folder, { segmentEvents: 7, segments: 1_000 })],
])('viewers that reconnect at any place miss nothing and see nothing twice: %s', async (_, make) => {
  const folder = tempFolder();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      async (bursts, viewers) => {
        count += 1;
        const feed = new EventFeed(make(`${folder}/${count}`), KEY);
        const views = viewers.map((stops) => viewWithBreaks(feed, stops));
        for (const burst of bursts) {
          for (let index = 0; index < burst; index += 1) await feed.append(said('x'));
          await feed.flush();
        }
        feed.close();
        const total = bursts.reduce((sum, burst) => sum + burst, 0);
        const all = Array.from({ length: total }, (_each, index) => index + 1);
        for (const seen of await Promise.all(views)) expect(seen).toEqual(all);
      },
    ),
    { numRuns: 30 },
  );
});

test('a viewer that does not read holds nothing: it reads the log again', async () => {
  const log = new InMemoryEventLog();
  const feed = new EventFeed(log, KEY);
  await feed.append(said('first'));
  const slow = feed.follow(0);
  expect((await slow.next()).value).toMatchObject({ id: 1 });
  for (let index = 0; index < 5_000; index += 1) await feed.append(said('x'));
  await feed.flush();
  feed.close();
  const rest: number[] = [];
  for await (const { id } of slow) rest.push(id);
  expect(rest).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 2));
});

test('a viewer is told what is no longer kept', async () => {
  const log = new InMemoryEventLog({ maxEvents: 2 });
  await log.append(KEY, [...'abcde'].map(said));
  const feed = new EventFeed(log, KEY);
  feed.close();
  const seen = [];
  for await (const { id, event } of feed.follow(0)) seen.push([id, event.type]);
  expect(seen).toEqual([
    [3, 'events_dropped'],
    [4, 'user_message'],
    [5, 'user_message'],
  ]);
});

test('an id that does not exist yet is refused', async () => {
  const feed = new EventFeed(new InMemoryEventLog(), KEY);
  await expect(feed.assertReached(4)).rejects.toMatchObject({ code: 'invalid' });
});

test('what another host wrote is found', async () => {
  const folder = tempFolder();
  const here = new EventFeed(new FileEventLog(folder, { pollMs: 1 }), KEY);
  const there = new EventFeed(new FileEventLog(folder), KEY);
  await here.append(said('a'));
  await here.flush();
  const viewer = here.follow(0);
  expect((await viewer.next()).value).toMatchObject({ id: 1 });
  const next = viewer.next();
  await there.append(said('b'));
  await there.flush();
  expect((await next).value).toMatchObject({ id: 2, event: said('b') });
  await here.append(said('c'));
  expect((await viewer.next()).value).toMatchObject({ id: 3, event: said('c') });
  await viewer.return();
});

test('a log is watched once for all viewers, and no longer than anybody looks', async () => {
  const log = new InMemoryEventLog();
  const watches: { onAppend: () => void; isStopped: boolean }[] = [];
  const feed = new EventFeed(
    {
      append: (key, events) => log.append(key, events),
      read: (key, after, limit) => log.read(key, after, limit),
      remove: (key) => log.remove(key),
      watch: async (_, onAppend) => {
        const watch = { onAppend, isStopped: false };
        watches.push(watch);
        return () => {
          watch.isStopped = true;
        };
      },
    },
    KEY,
  );
  const viewers = [feed.follow(0), feed.follow(0)];
  const next = viewers.map((viewer) => viewer.next());
  await expect.poll(() => watches).toHaveLength(1);
  await log.append(KEY, [said('of another host')]);
  watches[0]?.onAppend();
  for (const each of await Promise.all(next)) expect(each.value).toMatchObject({ id: 1 });
  await viewers[0]?.return();
  expect(watches[0]?.isStopped).toBe(false);
  await viewers[1]?.return();
  await expect.poll(() => watches[0]?.isStopped).toBe(true);
  const abort = new AbortController();
  const again = feed.follow(0, abort.signal);
  await again.next();
  await expect.poll(() => watches).toHaveLength(2);
  // It has an event in hand, and never asks for another one.
  abort.abort();
  await expect.poll(() => watches[1]?.isStopped).toBe(true);
});

test('a log that fails is told once, and the next event is tried again, after a gap', async () => {
  const log = new InMemoryEventLog();
  let fails = true;
  const feed = new EventFeed(
    {
      append: (key, events) => (fails ? Promise.reject(new Error('disk full')) : log.append(key, events)),
      read: (key, after, limit) => log.read(key, after, limit),
      remove: (key) => log.remove(key),
    },
    KEY,
  );
  await feed.append(said('a'));
  await expect(feed.flush()).rejects.toMatchObject({ code: 'store_failed', message: /disk full/ });
  fails = false;
  await feed.append(said('b'));
  expect(await feed.flush()).toBe(2);
});

test('a feed that is closed looks for nothing, though a viewer has not left', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = new InMemoryEventLog();
  let watches = 0;
  const feed = new EventFeed(
    {
      pollMs: 5,
      append: (key, events) => log.append(key, events),
      read: (key, after, limit) => log.read(key, after, limit),
      remove: (key) => log.remove(key),
      watch: async () => {
        watches += 1;
        return () => {
          watches -= 1;
        };
      },
    },
    KEY,
  );
  await log.append(KEY, [said('a'), said('b')]);
  const parked = feed.follow(0);
  await parked.next();
  expect([watches, vi.getTimerCount()]).toEqual([1, 1]);
  feed.close();
  await vi.advanceTimersByTimeAsync(20);
  expect([watches, vi.getTimerCount()]).toEqual([0, 0]);
  expect((await parked.next()).value).toMatchObject({ id: 2 });
  expect((await parked.next()).done).toBe(true);
  expect((await feed.follow(1).next()).value).toMatchObject({ id: 2 });
  expect([watches, vi.getTimerCount()]).toEqual([0, 0]);
});

test('viewers that are as far read the log once, and miss nothing that comes during the read', async () => {
  const log = new InMemoryEventLog();
  const gates = [newGate(), newGate()];
  let reads = 0;
  const feed = new EventFeed(
    {
      append: (key, events) => log.append(key, events),
      read: async (key, after, limit) => {
        const page = await log.read(key, after, limit);
        reads += 1;
        await gates[reads - 1]?.pass();
        return page;
      },
      remove: (key) => log.remove(key),
    },
    KEY,
  );
  await log.append(KEY, [said('a')]);
  const next = Array.from({ length: 50 }, () => feed.follow(1).next());
  await gates[0]?.reached;
  expect(reads).toBe(1);
  // Found nothing, and is still on its way.
  await feed.append(said('b'));
  await feed.flush();
  const late = feed.follow(0).next();
  await gates[1]?.reached;
  expect(reads).toBe(2);
  for (const gate of gates) gate.open();
  for (const each of await Promise.all(next)) expect(each.value).toMatchObject({ id: 2 });
  expect((await late).value).toMatchObject({ id: 1 });
});

test('a read that fails fails for all that share it, and the next one is tried anew', async () => {
  const log = new InMemoryEventLog();
  let isDown = true;
  const read: EventLog['read'] = async (...args) => {
    if (isDown) throw new Error('connection reset');
    return await log.read(...args);
  };
  const feed = new EventFeed(
    { append: (key, events) => log.append(key, events), read, remove: (key) => log.remove(key) },
    KEY,
  );
  await log.append(KEY, [said('a')]);
  const failed = await Promise.allSettled([feed.follow(0).next(), feed.follow(0).next()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect((await feed.follow(0).next()).value).toMatchObject({ id: 1 });
});
