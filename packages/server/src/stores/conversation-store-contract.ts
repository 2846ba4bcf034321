import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertMaker } from '../checks.js';
import { HostError } from '../errors.js';
import type { ConversationKey } from './conversation-key.js';
import type { ConversationRecord, ConversationStore } from './conversation-store.js';
import { type ListOptions, newestFirst } from './list-options.js';

/** One promise of a conversation store, ready to be run by any test runner. */
export interface ConversationStoreCase {
  /** A sentence: the test's title. */
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a store that is empty. A second call of `again` gives the same store as another host sees it. */
export type MakeConversationStore = () => { readonly store: ConversationStore; again(): ConversationStore };

const TTL_MS = 60_000;
const TEN = { limit: 10 };
const HOSTILE = ['../x', '..', '', '/etc/passwd', 'a/../../b', 'A'.repeat(300), '\0', '%2e%2e', 'con', 'x\ny'];

/**
 * The promises of a {@link ConversationStore} as a list of cases.
 *
 * @example
 * for (const { name, run } of conversationStoreContract(makeStore)) test(name, run);
 */
export function conversationStoreContract(make: MakeConversationStore): readonly ConversationStoreCase[] {
  assertMaker('conversationStoreContract()', make);
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

type Again = () => ConversationStore;

/** Numbers from 0 to below `most`, the same ones for the same seed. */
function randomOf(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** Reads a list page by page while conversations are made, changed and removed, beside a list that is sorted each time. */
async function walkPages(store: ConversationStore, again: Again, tenant: string, random: (most: number) => number) {
  const model = new Map<string, ConversationRecord>();
  let now = 10;
  const change = async (): Promise<string> => {
    const known = [...model.values()][random(model.size)];
    const what = known === undefined ? 0 : random(4);
    // Some at the same time as others.
    now += random(2);
    const record =
      what === 0 || known === undefined ? sample({ tenant, updatedAt: now }) : { ...known, updatedAt: now };
    model.delete(record.id);
    if (what === 1) await store.remove(record);
    else model.set(record.id, record);
    if (what === 0) await store.create(record);
    if (what > 1) await store.update(record, { updatedAt: now });
    return record.id;
  };
  for (let count = 0; count < 30; count += 1) await change();
  const unchanged = new Set(model.keys());
  const seen: ConversationRecord[] = [];
  const limit = 1 + random(4);
  for (;;) {
    const after = seen.at(-1);
    const page = await again().list(tenant, { limit, after });
    const rest = [...model.values()].filter((record) => after === undefined || newestFirst(record, after) > 0);
    assert.deepEqual(page, rest.sort(newestFirst).slice(0, limit));
    seen.push(...page);
    if (page.length < limit) break;
    for (let count = random(3); count > 0; count -= 1) unchanged.delete(await change());
  }
  const ids = seen.map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => unchanged.has(id)).sort(), [...unchanged].sort());
}

const CASES: Readonly<Record<string, (store: ConversationStore, again: Again) => Promise<void>>> = {
  'a record is read as it was created, also by another host': async (store, again) => {
    const record = sample({ title: 'A\u2028b "c" \\ /', sessionId: randomUUID(), bytes: 7 });
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
    await store.update(record, { bytes: 9 });
    assert.deepEqual(await again().get(record), { ...record, updatedAt: 7, sessionId: 's', bytes: 9 });
    await assert.rejects(store.update(sample(), { updatedAt: 1 }), (error: HostError) => error.code === 'not_found');
  },

  'another tenant finds nothing under the same id': async (store) => {
    const record = sample();
    await store.create(record);
    const other = { ...record, tenant: 'bob' };
    assert.equal(await store.get(other), undefined);
    assert.deepEqual(await store.list('bob', TEN), []);
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
        (await store.list(tenant, TEN)).map(({ title }) => title),
        [tenant],
      );
    }
  },

  'a list has the last changed first, and no more than asked for': async (store, again) => {
    const records = [3, 1, 2].map((updatedAt) => sample({ updatedAt }));
    for (const record of records) await store.create(record);
    assert.deepEqual(
      (await again().list('ada', { limit: 2 })).map(({ updatedAt }) => updatedAt),
      [3, 2],
    );
  },

  'of records that were changed at the same time the greater id comes first': async (store, again) => {
    const records = Array.from({ length: 5 }, () => sample({ updatedAt: 7 }));
    for (const record of records) await store.create(record);
    const ids = records.map(({ id }) => id).sort();
    assert.deepEqual(
      (await again().list('ada', TEN)).map(({ id }) => id),
      ids.reverse(),
    );
  },

  'a list by pages has each conversation once, and in order': async (store, again) => {
    const records = Array.from({ length: 23 }, (_, index) => sample({ updatedAt: index % 3 }));
    for (const record of records) await store.create(record);
    for (const limit of [1, 5, 23, 24, 1_000]) {
      const found: ConversationRecord[] = [];
      for (let page: readonly ConversationRecord[] = []; ; ) {
        const after = found.at(-1);
        page = await again().list('ada', { limit, after });
        assert.ok(page.length <= limit);
        found.push(...page);
        if (page.length < limit) break;
      }
      assert.deepEqual(found, [...records].sort(newestFirst));
    }
  },

  'a page goes on where a conversation was that is not there any more': async (store, again) => {
    const records = [4, 3, 2, 1].map((updatedAt) => sample({ updatedAt }));
    for (const record of records) await store.create(record);
    const [first, second, third, last] = records as [ConversationRecord, ConversationRecord, ...ConversationRecord[]];
    await store.remove(second);
    assert.deepEqual(await again().list('ada', { limit: 10, after: second }), [third, last]);
    await store.update(first, { updatedAt: 5 });
    assert.deepEqual(await again().list('ada', { limit: 10, after: first }), [third, last]);
    assert.deepEqual(await store.list('ada', { limit: 10, after: { updatedAt: 0, id: first.id } }), []);
  },

  'whatever changes between two pages, each page is what comes after the place': async (store, again) => {
    for (let seed = 1; seed <= 6; seed += 1) await walkPages(store, again, `tenant ${seed}`, randomOf(seed));
  },

  'a list that cannot be one is refused': async (store) => {
    const id = randomUUID();
    const hostile: unknown[] = [
      undefined,
      null,
      10,
      'x',
      {},
      { limit: 0 },
      { limit: -1 },
      { limit: 1.5 },
      { limit: '1' },
    ];
    for (const updatedAt of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1', null, undefined, 0.5]) {
      hostile.push({ limit: 1, after: { updatedAt, id } });
    }
    for (const bad of [...HOSTILE, undefined, 7]) hostile.push({ limit: 1, after: { updatedAt: 1, id: bad } });
    for (const after of [null, 'x', 7, []]) hostile.push({ limit: 1, after });
    for (const options of hostile) await assert.rejects(store.list('ada', options as ListOptions), isInvalid);
  },

  'what a tenant has is counted as it changes, and for it alone': async (store, again) => {
    assert.deepEqual(await store.usage('ada'), { conversations: 0, bytes: 0 });
    const [one, two] = [sample({ bytes: 5 }), sample()];
    await store.create(one);
    await store.create(two);
    await store.create(sample({ tenant: 'bob', bytes: 100 }));
    await store.update(one, { updatedAt: 2, bytes: 2 ** 40 });
    await store.update(two, { bytes: 3 });
    await store.update(two, { updatedAt: 9, title: 'Two' });
    assert.deepEqual(await again().usage('ada'), { conversations: 2, bytes: 2 ** 40 + 3 });
    await store.remove(one);
    await store.remove(one);
    assert.deepEqual(await again().usage('ada'), { conversations: 1, bytes: 3 });
    await store.remove(two);
    assert.deepEqual(await again().usage('ada'), { conversations: 0, bytes: 0 });
  },

  'of many that are created at once no more are made than a tenant may have': async (store, again) => {
    await store.create(sample());
    const records = Array.from({ length: 20 }, () => sample());
    const made = await Promise.allSettled(records.map((record) => again().create(record, 10)));
    const reasons = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as HostError] : []));
    for (const reason of reasons) assert.equal(reason.code, 'limit_reached');
    assert.ok(reasons.length >= 11);
    const { conversations } = await again().usage('ada');
    assert.equal(conversations, 21 - reasons.length);
    assert.equal((await again().list('ada', { limit: 50 })).length, conversations);
    // Those that were refused have left nothing.
    for (const [index, { status }] of made.entries()) {
      const record = records[index] ?? sample();
      assert.deepEqual(await store.get(record), status === 'fulfilled' ? record : undefined);
    }
    for (let left = conversations; left < 10; left += 1) await store.create(sample(), 10);
    await assert.rejects(store.create(sample(), 10), (error: HostError) => {
      return error.code === 'limit_reached' && /has 10 conversations.* is 10\..*Delete/.test(error.message);
    });
    await store.create(sample({ tenant: 'bob' }), 1);
    const kept = records[made.findIndex(({ status }) => status === 'fulfilled')] ?? sample();
    await assert.rejects(store.create(kept, 10), (error: HostError) => error.code !== 'store_failed');
    await store.remove(kept);
    await store.create(sample(), 10);
    assert.equal((await again().usage('ada')).conversations, 10);
  },

  'a removed conversation is gone, with its lease': async (store, again) => {
    const record = sample();
    await store.create(record);
    await store.acquire(record, TTL_MS);
    await store.remove(record);
    await store.remove(record);
    assert.equal(await again().get(record), undefined);
    assert.deepEqual(await store.list('ada', TEN), []);
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
      (await store.list('ada', TEN)).map(({ updatedAt }) => updatedAt),
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
    for (const id of HOSTILE) await refusesKey(store, { tenant: 'ada', id });
  },

  'a tenant that cannot be one is refused by every method': async (store) => {
    for (const tenant of ['', 'x'.repeat(513), undefined, 7] as readonly string[]) {
      await refusesKey(store, { tenant, id: randomUUID() });
      await assert.rejects(store.list(tenant, TEN), isInvalid);
      await assert.rejects(store.usage(tenant), isInvalid);
    }
  },

  'tenants that UTF-8 cannot tell apart share nothing': async (store) => {
    const tenants = ['a\ud800', 'a\ud801', '\udc00a'];
    // A store may refuse them, as a host does.
    const isCreated = await Promise.all(
      tenants.map((tenant) =>
        store.create(sample({ tenant })).then(
          () => true,
          () => false,
        ),
      ),
    );
    for (const [index, tenant] of tenants.entries()) {
      const usage = await store.usage(tenant).catch(() => undefined);
      if (usage !== undefined) assert.equal(usage.conversations, isCreated[index] ? 1 : 0);
    }
  },
};

async function refusesKey(store: ConversationStore, key: ConversationKey): Promise<void> {
  await assert.rejects(store.create({ ...sample(), ...key }), isInvalid);
  await assert.rejects(store.get(key), isInvalid);
  await assert.rejects(store.update(key, {}), isInvalid);
  await assert.rejects(store.remove(key), isInvalid);
  await assert.rejects(store.acquire(key, 1), isInvalid);
  await assert.rejects(store.renew(key, 1, 1), isInvalid);
  await assert.rejects(store.release(key, 1), isInvalid);
}
