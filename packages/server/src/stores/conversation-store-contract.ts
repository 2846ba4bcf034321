import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostError } from '../errors.js';
import type { ConversationRecord, ConversationStore } from './conversation-store.js';

/** One promise of a conversation store, ready to be run by any test runner. */
export interface ConversationStoreCase {
  /** A sentence: the test's title. */
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a store that is empty. A second call of `again` gives the same store as another host sees it. */
export type MakeConversationStore = () => { readonly store: ConversationStore; again(): ConversationStore };

const TTL_MS = 60_000;
const HOSTILE = ['../x', '..', '', '/etc/passwd', 'a/../../b', 'A'.repeat(300), '\0', '%2e%2e', 'con', 'x\ny'];

/**
 * The promises of a {@link ConversationStore} as a list of cases.
 *
 * @example
 * for (const { name, run } of conversationStoreContract(makeStore)) test(name, run);
 */
export function conversationStoreContract(make: MakeConversationStore): readonly ConversationStoreCase[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => {
      const { store, again } = make();
      await check(store, again);
    },
  }));
}

function sample(over: Partial<ConversationRecord> = {}): ConversationRecord {
  return { tenant: 'ada', id: randomUUID(), createdAt: 1, updatedAt: 1, ...over };
}

function isInvalid(error: unknown): boolean {
  return error instanceof HostError && error.code === 'invalid';
}

function isConflict(error: unknown): boolean {
  return error instanceof HostError && error.code === 'conflict';
}

const CASES: Readonly<Record<string, (store: ConversationStore, again: () => ConversationStore) => Promise<void>>> = {
  'a record is read as it was created, also by another host': async (store, again) => {
    const record = sample({ title: 'A\u2028b "c" \\ /', sessionId: randomUUID() });
    await store.create(record);
    assert.deepEqual(await again().get(record), record);
  },

  'an id is created once': async (store) => {
    const record = sample();
    await store.create(record);
    await assert.rejects(store.create(record), (error: HostError) => error.code === 'conflict');
  },

  'an update changes what it names and nothing else': async (store, again) => {
    const record = sample({ title: 'one' });
    await store.create(record);
    await store.update(record, { updatedAt: 7, sessionId: 's' });
    assert.deepEqual(await again().get(record), { ...record, updatedAt: 7, sessionId: 's' });
    await assert.rejects(store.update(sample(), { updatedAt: 1 }), (error: HostError) => error.code === 'not_found');
  },

  'another tenant finds nothing under the same id': async (store) => {
    const record = sample();
    await store.create(record);
    const other = { ...record, tenant: 'bob' };
    assert.equal(await store.get(other), undefined);
    assert.deepEqual(await store.list('bob', 10), []);
    assert.equal(await store.acquire(other, TTL_MS), undefined);
    await assert.rejects(store.update(other, { title: 'mine' }), (error: HostError) => error.code === 'not_found');
    await store.remove(other);
    assert.deepEqual(await store.get(record), record);
  },

  'tenants that look alike are kept apart': async (store) => {
    const tenants = ['a', 'A', 'a/b', 'a\0b', '..', 'ä', 'a\u0308', ' a', '["a"'];
    for (const tenant of tenants) await store.create(sample({ tenant, title: tenant }));
    for (const tenant of tenants) {
      assert.deepEqual(
        (await store.list(tenant, 10)).map(({ title }) => title),
        [tenant],
      );
    }
  },

  'a list has the last changed first, and no more than asked for': async (store, again) => {
    const records = [3, 1, 2].map((updatedAt) => sample({ updatedAt }));
    for (const record of records) await store.create(record);
    assert.deepEqual(
      (await again().list('ada', 2)).map(({ updatedAt }) => updatedAt),
      [3, 2],
    );
  },

  'a removed conversation is gone, with its lease': async (store, again) => {
    const record = sample();
    await store.create(record);
    await store.acquire(record, TTL_MS);
    await store.remove(record);
    await store.remove(record);
    assert.equal(await again().get(record), undefined);
    assert.deepEqual(await store.list('ada', 10), []);
    assert.equal(await store.acquire(record, TTL_MS), undefined);
  },

  'one holder at a time, and tokens count up by one': async (store, again) => {
    const record = sample();
    await store.create(record);
    const first = await store.acquire(record, TTL_MS);
    assert.ok(first !== undefined);
    assert.equal(await again().acquire(record, TTL_MS), undefined);
    await store.release(record, first);
    assert.equal(await again().acquire(record, TTL_MS), first + 1);
    // Of a lease that is over.
    await store.release(record, first);
    assert.equal(await store.acquire(record, TTL_MS), undefined);
  },

  'of many hosts that try at once, one gets the lease': async (store, again) => {
    const record = sample();
    await store.create(record);
    for (let round = 1; round <= 5; round += 1) {
      const tokens = await Promise.all(Array.from({ length: 8 }, () => again().acquire(record, TTL_MS)));
      const got = tokens.filter((token) => token !== undefined);
      assert.equal(got.length, 1);
      await store.release(record, got[0] ?? 0);
    }
  },

  'a lease that is not renewed passes to the next': async (store, again) => {
    const record = sample();
    await store.create(record);
    const token = await store.acquire(record, 1);
    assert.ok(token !== undefined);
    await sleep(5);
    assert.equal(await store.renew(record, token, TTL_MS), false);
    assert.equal(await again().acquire(record, TTL_MS), token + 1);
    assert.equal(await store.renew(record, token, TTL_MS), false);
  },

  'a renewed lease lasts': async (store, again) => {
    const record = sample();
    await store.create(record);
    const token = await store.acquire(record, TTL_MS);
    assert.ok(token !== undefined);
    assert.equal(await store.renew(record, token, TTL_MS), true);
    assert.equal(await again().acquire(record, TTL_MS), undefined);
    assert.equal(await store.renew(record, token + 1, TTL_MS), false);
  },

  'a host whose lease has passed to another one changes nothing': async (store, again) => {
    const record = sample({ title: 'one' });
    await store.create(record);
    const first = await store.acquire(record, 1);
    assert.ok(first !== undefined);
    await sleep(5);
    // Nobody else has had it yet.
    await store.update(record, { updatedAt: 2 }, first);
    const second = await again().acquire(record, TTL_MS);
    await assert.rejects(store.update(record, { title: 'late', updatedAt: 99 }, first), isConflict);
    assert.deepEqual(await again().get(record), { ...record, updatedAt: 2 });
    await again().update(record, { updatedAt: 3 }, second);
    // Without a lease, as before.
    await store.update(record, { title: 'two' });
    await again().release(record, second ?? 0);
    await assert.rejects(store.update(record, { title: 'late' }, first), isConflict);
    assert.deepEqual(await store.get(record), { ...record, updatedAt: 3, title: 'two' });
    assert.deepEqual(
      (await store.list('ada', 10)).map(({ updatedAt }) => updatedAt),
      [3],
    );
    const unknown = store.update(sample(), { updatedAt: 1 }, 1);
    await assert.rejects(unknown, (error: HostError) => error.code === 'not_found');
  },

  'changes that are on their way when another host takes over come before it, or not at all': async (store, again) => {
    for (let round = 0; round < 5; round += 1) {
      const record = sample();
      await store.create(record);
      const first = await store.acquire(record, 1);
      await sleep(5);
      const late = Array.from({ length: 5 }, () => store.update(record, { title: 'late' }, first));
      const settled = Promise.allSettled(late);
      const second = await again().acquire(record, TTL_MS);
      assert.ok(second !== undefined);
      await again().update(record, { title: 'mine' }, second);
      for (const result of await settled) {
        assert.ok(result.status === 'fulfilled' || isConflict(result.reason), JSON.stringify(result));
      }
      assert.equal((await store.get(record))?.title, 'mine');
    }
  },

  'a token that is none is refused': async (store) => {
    const record = sample();
    await store.create(record);
    for (const token of [0, -1, 1.5, Number.NaN, 2 ** 53, '5', null]) {
      await assert.rejects(store.update(record, { updatedAt: 9 }, token as number), isInvalid);
    }
    assert.deepEqual(await store.get(record), record);
  },

  'an id that is no UUID is refused by every method': async (store) => {
    for (const id of HOSTILE) {
      const key = { tenant: 'ada', id };
      await assert.rejects(store.create({ ...sample(), id }), isInvalid);
      await assert.rejects(store.get(key), isInvalid);
      await assert.rejects(store.update(key, {}), isInvalid);
      await assert.rejects(store.remove(key), isInvalid);
      await assert.rejects(store.acquire(key, 1), isInvalid);
      await assert.rejects(store.renew(key, 1, 1), isInvalid);
      await assert.rejects(store.release(key, 1), isInvalid);
    }
    await assert.rejects(store.list('', 1), isInvalid);
  },
};
