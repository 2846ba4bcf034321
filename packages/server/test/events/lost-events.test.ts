import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ConversationEvent, LoggedEvent } from '../../src/events/conversation-event.js';
import { EventFeed } from '../../src/events/event-feed.js';
import type { EventLog } from '../../src/events/event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { StoreTimeout } from '../../src/stores/time-limit.js';

const KEY = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000001' };
const said = (text: string) => ({ type: 'user_message', text }) as const;

type Append = EventLog['append'];

/** A log whose first appends do as they are told. Which ones were called. */
function logWith(...appends: readonly ((append: Append) => Append)[]) {
  const log = new InMemoryEventLog();
  const append: Append = (key, events) => log.append(key, events);
  const left = [...appends];
  const calls: (readonly ConversationEvent[])[] = [];
  const double: EventLog = {
    append: (key, events) => {
      calls.push(events);
      return (left.shift()?.(append) ?? append)(key, events);
    },
    read: (key, after, limit) => log.read(key, after, limit),
    remove: (key) => log.remove(key),
  };
  return { log: double, calls };
}

const fails = (): Append => () => Promise.reject(new Error('EIO'));
const answerIsLost =
  (append: Append): Append =>
  async (key, events) => {
    await append(key, events);
    throw new Error('connection reset');
  };
const isLate = (): Append => () => Promise.reject(new StoreTimeout('store_failed', 'not settled'));

async function textsOf(log: EventLog): Promise<readonly string[]> {
  const { events } = await log.read(KEY, 0, 100);
  return events.map(({ id, event }) => {
    if (event.type === 'user_message') return `${id} ${event.text.slice(0, 9)}`;
    return event.type === 'events_dropped' ? `${id} dropped before ${event.before}` : `${id} ${event.type}`;
  });
}

test('a log that fails for a moment loses nothing', async () => {
  const { log } = logWith((append) => append, fails, fails);
  const feed = new EventFeed(log, KEY);
  await feed.append(said('a'));
  await feed.flush();
  await feed.append(said('b'));
  expect(await feed.flush()).toBe(2);
  expect(await textsOf(log)).toEqual(['1 a', '2 b']);
});

test('events that were stored although the call failed are not stored twice', async () => {
  const { log } = logWith((append) => append, answerIsLost);
  const feed = new EventFeed(log, KEY);
  await feed.append(said('a'));
  await feed.flush();
  await feed.append(said('a'));
  expect(await feed.flush()).toBe(2);
  expect(await textsOf(log)).toEqual(['1 a', '2 a']);
});

test('events that a failing log lost leave a gap that viewers are told of', async () => {
  const { log } = logWith((append) => append, fails, fails, fails, fails);
  const feed = new EventFeed(log, KEY);
  await feed.append(said('a'));
  await feed.flush();
  await feed.append(said('lost'));
  await expect(feed.flush()).rejects.toMatchObject({ code: 'store_failed', message: /EIO/ });
  await feed.append(said('c'));
  expect(await feed.flush()).toBe(3);
  expect(await textsOf(log)).toEqual(['1 a', '2 dropped before 3', '3 c']);
});

test('a call that is late is not made a second time', async () => {
  const { log, calls } = logWith(isLate);
  const feed = new EventFeed(log, KEY);
  await feed.append(said('a'));
  await expect(feed.flush()).rejects.toMatchObject({ code: 'store_failed' });
  expect(calls).toHaveLength(1);
});

test('a host that does not write any more tries nothing again', async () => {
  const { log, calls } = logWith(fails);
  const feed = new EventFeed(log, KEY, { mayRetry: () => false });
  await feed.append(said('a'));
  await expect(feed.flush()).rejects.toMatchObject({ code: 'store_failed' });
  expect(calls).toHaveLength(1);
});

test('an event that cannot be stored takes no other with it', async () => {
  const { log } = logWith();
  const feed = new EventFeed(log, KEY);
  const round: Record<string, unknown> = {};
  round.itself = round;
  const question = { type: 'question', questionId: 'q', toolName: 'T', toolUseId: 't', input: round } as const;
  for (const event of [said('a'), question, said('c')]) void feed.append(event);
  expect(await feed.flush()).toBe(3);
  expect(await textsOf(log)).toEqual(['1 a', '2 dropped before 3', '3 c']);
});

test('a log that repeats an id does not make its viewers spin', async () => {
  const entry = (id: number): LoggedEvent => ({ id, at: 1, event: said(`${id}`) });
  const lines = [entry(1), entry(2), entry(2)];
  let reads = 0;
  const log: EventLog = {
    append: () => Promise.reject(new Error('not here')),
    read: async (_, after, limit) => {
      reads += 1;
      if (reads > 100) throw new Error('a viewer spins');
      return { events: lines.slice(after, after + limit), firstId: 1, lastId: lines.length };
    },
    remove: async () => {},
    watch: async (_, onAppend) => {
      wake = onAppend;
      return () => {};
    },
  };
  let wake = (): void => {};
  const feed = new EventFeed(log, KEY);
  const viewer = feed.follow(0);
  expect([(await viewer.next()).value, (await viewer.next()).value]).toMatchObject([{ id: 1 }, { id: 2 }]);
  const next = viewer.next();
  for (let turns = 0; turns < 50; turns += 1) await immediate();
  expect(reads).toBeLessThan(10);
  lines.push(entry(4));
  wake();
  expect((await next).value).toMatchObject({ id: 4 });
  feed.close();
  expect((await viewer.next()).done).toBe(true);
});

test('a log in memory stores all events or none', async () => {
  const log = new InMemoryEventLog();
  const bad = { type: 'message', message: { n: 1n } } as unknown as ConversationEvent; // No JSON, as no event is.
  await expect(log.append(KEY, [said('a'), bad])).rejects.toThrow();
  await log.append(KEY, [said('b')]);
  expect(await textsOf(log)).toEqual(['1 b']);
});
