import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertMaker } from '../checks.js';
import { HostError } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationEvent } from './conversation-event.js';
import type { EventLog } from './event-log.js';

/** One promise of an event log, ready to be run by any test runner. */
export interface EventLogCase {
  /** A sentence: the test's title. */
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a log that is empty. A call of `again` gives the same log as another host sees it. */
export type MakeEventLog = () => { readonly log: EventLog; again(): EventLog };

/**
 * The promises of an {@link EventLog} as a list of cases.
 *
 * @example
 * for (const { name, run } of eventLogContract(makeLog)) test(name, run);
 */
export function eventLogContract(make: MakeEventLog): readonly EventLogCase[] {
  assertMaker('eventLogContract()', make);
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => {
      const { log, again } = make();
      await check(log, again);
    },
  }));
}

const WATCH_MS = 10_000;
const keyOf = (tenant = 'ada'): ConversationKey => ({ tenant, id: randomUUID() });
const said = (text: string): ConversationEvent => ({ type: 'user_message', text });

async function textsOf(log: EventLog, key: ConversationKey, after = 0, limit = 1_000): Promise<readonly string[]> {
  const { events } = await log.read(key, after, limit);
  return events.map(({ id, event }) => `${id} ${event.type === 'user_message' ? event.text : event.type}`);
}

const NO_TOKENS: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', null, {}];

function isInvalid(error: unknown): boolean {
  return error instanceof HostError && error.code === 'invalid';
}

function isConflict(error: unknown): boolean {
  return error instanceof HostError && error.code === 'conflict';
}

const CASES: Readonly<Record<string, (log: EventLog, again: () => EventLog) => Promise<void>>> = {
  'ids count from 1 without gaps, and what comes after an id is read': async (log, again) => {
    const key = keyOf();
    assert.deepEqual(await log.read(key, 0, 10), { events: [], firstId: 1, lastId: 0 });
    const first = await log.append(key, [said('a'), said('b\n\u2028\0\ud83d')]);
    assert.deepEqual(
      first.map(({ id }) => id),
      [1, 2],
    );
    await log.append(key, [said('c')]);
    assert.deepEqual(await textsOf(again(), key), ['1 a', '2 b\n\u2028\0\ud83d', '3 c']);
    assert.deepEqual(await textsOf(log, key, 1, 1), ['2 b\n\u2028\0\ud83d']);
    assert.deepEqual(await textsOf(log, key, 3), []);
    assert.deepEqual((await again().read(key, 0, 0)).lastId, 3);
    assert.deepEqual(await log.read(key, 9, 10), { events: [], firstId: 1, lastId: 3 });
  },

  'events come back as they were appended, with the time of storing': async (log, again) => {
    const key = keyOf();
    const event = { type: 'question', questionId: 'q', toolName: 'T', toolUseId: 't', input: { a: [{}, null, '"'] } };
    const logged = await log.append(key, [event as ConversationEvent, said('')]);
    assert.deepEqual((await again().read(key, 0, 10)).events, logged);
    assert.deepEqual(logged[0]?.event, event);
    assert.ok(logged.every(({ at }) => Number.isInteger(at) && at > 1e12));
  },

  'an append of nothing changes nothing': async (log) => {
    const key = keyOf();
    assert.deepEqual(await log.append(key, []), []);
    assert.deepEqual(await log.read(key, 0, 10), { events: [], firstId: 1, lastId: 0 });
  },

  'conversations and tenants are kept apart, and what is removed is forgotten': async (log, again) => {
    const key = keyOf();
    await log.append(key, [said('a')]);
    for (const tenant of ['bob', 'ADA', 'ada ', 'ada/..', '%61da', 'ada\0', 'a:da', '{ada}', '😀', 'x'.repeat(512)]) {
      assert.deepEqual((await log.read({ ...key, tenant }, 0, 10)).events, []);
      await log.append({ ...key, tenant }, [said(tenant)]);
      await log.remove({ ...key, tenant });
    }
    assert.deepEqual(await textsOf(again(), key), ['1 a']);
    await log.remove(key);
    await log.remove(key);
    assert.deepEqual(await textsOf(log, key), []);
    assert.equal((await again().append(key, [said('b')]))[0]?.id, 1);
  },

  'hosts that append one after another count on': async (log, again) => {
    const key = keyOf();
    const logs = [log, again(), again()];
    for (let index = 0; index < 9; index += 1) await logs[index % 3]?.append(key, [said(`${index}`)]);
    assert.deepEqual(
      await textsOf(log, key),
      Array.from({ length: 9 }, (_, index) => `${index + 1} ${index}`),
    );
  },

  'a page of many events is read in steps': async (log) => {
    const key = keyOf();
    await log.append(
      key,
      Array.from({ length: 500 }, (_, index) => said(`${index}`)),
    );
    const seen: number[] = [];
    for (;;) {
      const { events } = await log.read(key, seen.at(-1) ?? 0, 200);
      if (events.length === 0) break;
      seen.push(...events.map(({ id }) => id));
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
  },

  'a log that can be watched tells of what another host appends, until it is told to stop': async (log, again) => {
    if (log.watch === undefined) return;
    assert.ok(log.pollMs !== undefined, 'a log with watch() needs `pollMs`, since a call may be lost');
    const [key, other] = [keyOf(), keyOf()];
    let calls = 0;
    let wake = (): void => {};
    const stop = await log.watch(key, () => {
      calls += 1;
      wake();
    });
    for (let round = 1; round <= 3; round += 1) {
      const before = calls;
      const told = new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`watch() did not tell of append ${round}`)), WATCH_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      await again().append(key, [said('a')]);
      if (calls === before) await told;
    }
    stop();
    stop();
    const after = calls;
    await again().append(key, [said('b')]);
    await again().append(other, [said('c')]);
    assert.equal(calls, after);
  },

  'once a newer lease has appended, an older one appends nothing': async (log, again) => {
    const [key, other] = [keyOf(), keyOf()];
    const newer = again();
    await log.append(key, [said('a')], 5);
    await newer.append(key, [said('b')], 6);
    await assert.rejects(log.append(key, [said('late')], 5), isConflict);
    await assert.rejects(log.append(key, [], 5), isConflict);
    assert.deepEqual(await textsOf(log, key), ['1 a', '2 b']);
    await newer.append(key, [said('c')], 6);
    // It has the next lease.
    await log.append(key, [said('d')], 7);
    await assert.rejects(newer.append(key, [said('late')], 6), isConflict);
    await log.append(other, [said('x')], 1);
    assert.deepEqual(await textsOf(again(), key), ['1 a', '2 b', '3 c', '4 d']);
  },

  'an append of nothing keeps older leases out': async (log, again) => {
    const key = keyOf();
    assert.deepEqual(await again().append(key, [], 6), []);
    await assert.rejects(log.append(key, [said('late')], 5), isConflict);
    assert.deepEqual(await log.read(key, 0, 10), { events: [], firstId: 1, lastId: 0 });
    // Whoever writes without a lease is not held up.
    await log.append(key, [said('a')]);
    await log.append(key, [said('b')], 6);
    assert.deepEqual(await textsOf(again(), key), ['1 a', '2 b']);
    await log.remove(key);
    await again().append(key, [said('c')], 1);
    assert.deepEqual(await textsOf(log, key), ['1 c']);
  },

  'appends that are on their way when another host takes over come before it, or not at all': async (log, again) => {
    for (let round = 0; round < 5; round += 1) {
      const [key, newer] = [keyOf(), again()];
      await log.append(key, [said('first')], 1);
      const late = Array.from({ length: 10 }, (_, index) => log.append(key, [said(`${index}`)], 1));
      const settled = Promise.allSettled(late);
      await newer.append(key, [], 2);
      const before = await textsOf(newer, key);
      await newer.append(key, [said('mine')], 2);
      const taken: string[] = [];
      for (const [index, result] of (await settled).entries()) {
        if (result.status === 'fulfilled') taken.push(`${result.value[0]?.id} ${index}`);
        else assert.ok(isConflict(result.reason), String(result.reason));
      }
      const after = await textsOf(log, key);
      assert.deepEqual(after, [...before, `${before.length + 1} mine`]);
      assert.deepEqual(
        taken.filter((text) => !after.includes(text)),
        [],
      );
    }
  },

  'a token that is none is refused': async (log) => {
    const key = keyOf();
    for (const token of NO_TOKENS) await assert.rejects(log.append(key, [said('a')], token as number), isInvalid);
    assert.deepEqual(await textsOf(log, key), []);
  },

  'an id that is no UUID is refused by every method': async (log) => {
    for (const id of ['../x', '', '..', 'x/y', '\0', 'A'.repeat(300)]) {
      await assert.rejects(log.append({ tenant: 'ada', id }, [said('a')]), isInvalid);
      await assert.rejects(log.read({ tenant: 'ada', id }, 0, 1), isInvalid);
      await assert.rejects(log.remove({ tenant: 'ada', id }), isInvalid);
    }
    await assert.rejects(log.read({ tenant: '', id: randomUUID() }, 0, 1), isInvalid);
  },
};
