import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertMaker } from '../checks.js';
import { HostError } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { WakeUp } from './wake-up.js';
import type { WakeUpStore } from './wake-up-store.js';

/** One promise of a wake-up store, ready to be run by any test runner. */
export interface WakeUpStoreCase {
  /** A sentence: the test's title. */
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a store that is empty. A call of `again` gives the same store as another host sees it. */
export type MakeWakeUpStore = () => { readonly store: WakeUpStore; again(): WakeUpStore };

/**
 * The promises of a {@link WakeUpStore} as a list of cases.
 *
 * @example
 * for (const { name, run } of wakeUpStoreContract(makeStore)) test(name, run);
 */
export function wakeUpStoreContract(make: MakeWakeUpStore): readonly WakeUpStoreCase[] {
  assertMaker('wakeUpStoreContract()', make);
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => {
      const { store, again } = make();
      await check(store, again);
    },
  }));
}

const keyOf = (tenant = 'ada'): ConversationKey => ({ tenant, id: randomUUID() });

function sample(over: Partial<WakeUp> = {}): WakeUp {
  return {
    ...{ wakeUpId: 'a', prompt: 'Look "\u2028 \u{1F600}', schedule: '*/5 * * * *', recurring: true },
    ...{ dueAt: 1_000, fireAt: 2_000, ...over },
  };
}

/** To compare: in the order of the names, or in their own. */
function namesOf(keys: readonly ConversationKey[], isSorted = true): readonly string[] {
  const names = keys.map(({ tenant, id }) => JSON.stringify({ tenant, id }));
  return isSorted ? names.sort() : names;
}

const isInvalid = (error: unknown) => error instanceof HostError && error.code === 'invalid';

const isConflict = (error: unknown) => error instanceof HostError && error.code === 'conflict';

const CASES: Readonly<Record<string, (store: WakeUpStore, again: () => WakeUpStore) => Promise<void>>> = {
  'what is stored is read in its order, also by another host': async (store, again) => {
    const key = keyOf();
    assert.deepEqual(await store.get(key), []);
    const wakeUps = [sample(), sample({ wakeUpId: 'b', fireAt: 500 })];
    await store.set(key, wakeUps);
    assert.deepEqual(await again().get(key), wakeUps);
    assert.deepEqual(await store.get({ ...key, tenant: 'bob' }), []);
  },

  'what is stored takes the place of what was': async (store, again) => {
    const key = keyOf();
    await store.set(key, [sample(), sample({ wakeUpId: 'b' })]);
    await again().set(key, [sample({ wakeUpId: 'c', fireAt: 9_000 })]);
    assert.deepEqual(await store.get(key), [sample({ wakeUpId: 'c', fireAt: 9_000 })]);
    assert.deepEqual(await store.due(8_999, 10), []);
    await store.set(key, []);
    assert.deepEqual(await again().get(key), []);
    assert.deepEqual(await again().due(10_000, 10), []);
  },

  'conversations are found once when one of their prompts is due, the earliest first': async (store, again) => {
    const [late, early, other] = [keyOf(), keyOf(), keyOf('bob')];
    await store.set(late, [sample({ fireAt: 3_000 }), sample({ wakeUpId: 'b', fireAt: 99_000 })]);
    await store.set(early, [sample({ fireAt: 1_000 }), sample({ wakeUpId: 'b', fireAt: 1_500 })]);
    await store.set(other, [sample({ fireAt: 2_000 })]);
    assert.deepEqual(await again().due(999, 10), []);
    assert.deepEqual(await again().due(1_000, 10), [early]);
    assert.deepEqual(await again().due(50_000, 10), [early, other, late]);
    assert.deepEqual(await again().due(50_000, 2), [early, other]);
  },

  'of many conversations that are due at the same time each is found once, and no more than asked for': async (
    store,
    again,
  ) => {
    const keys = Array.from({ length: 250 }, (_, index) => keyOf(`t${index % 7}`));
    for (const key of keys) await store.set(key, [sample({ fireAt: 5_000 })]);
    await store.set(keyOf(), [sample({ fireAt: 5_001 })]);
    const all = await again().due(5_000, 1_000);
    assert.deepEqual(namesOf(all), namesOf(keys));
    assert.equal(new Set(namesOf(await store.due(5_000, 100))).size, 100);
    assert.equal((await again().due(5_000, 250)).length, 250);
    assert.deepEqual(await store.due(5_000, 0), []);
    assert.deepEqual(await store.due(0, 10), []);
    assert.equal((await store.due(Number.MAX_SAFE_INTEGER, 1_000_000)).length, 251);
  },

  'prompts and tenants come back as they were, whatever characters they have': async (store, again) => {
    const wakeUps = [
      sample({ prompt: 'a\0b', schedule: '\u2028\n' }),
      sample({ wakeUpId: '__proto__', prompt: '\ud83d' }),
      sample({ wakeUpId: 'a"b\\', prompt: '\udc00\ud83d x' }),
      sample({ wakeUpId: '', prompt: 'x'.repeat(200_000), recurring: false }),
    ];
    const tenants = ['a\0b', '\ud83d', '__proto__', '..', 'a/b', '["a","b"]', '{x}', 'a:b', '\n', 'x'.repeat(512)];
    const keys = tenants.map((tenant) => keyOf(tenant));
    for (const key of keys) await store.set(key, wakeUps);
    for (const key of keys) assert.deepEqual(await again().get(key), wakeUps);
    assert.deepEqual(namesOf(await again().due(2_000, 100)), namesOf(keys));
  },

  'a change while others are looked for hides none of them': async (store, again) => {
    const keys = Array.from({ length: 20 }, () => keyOf());
    const moving = keyOf();
    for (const [index, key] of keys.entries()) await store.set(key, [sample({ fireAt: index })]);
    for (let round = 0; round < 10; round += 1) {
      const change = again().set(moving, round % 2 === 0 ? [sample({ fireAt: 9.5 })] : []);
      const [found] = await Promise.all([store.due(100, 100), change]);
      const others = found.filter(({ id }) => id !== moving.id);
      assert.deepEqual(namesOf(others, false), namesOf(keys, false));
      assert.ok(found.length - others.length <= 1);
    }
  },

  'once a newer lease has written, an older one changes nothing': async (store, again) => {
    const [key, other] = [keyOf(), keyOf()];
    const newer = again();
    await store.set(key, [sample({ wakeUpId: 'old' })], 5);
    await newer.set(key, [sample({ wakeUpId: 'new', fireAt: 7_000 })], 6);
    await assert.rejects(store.set(key, [sample({ wakeUpId: 'late', fireAt: 1 })], 5), isConflict);
    await assert.rejects(store.set(key, [], 5), isConflict);
    assert.deepEqual(await store.get(key), [sample({ wakeUpId: 'new', fireAt: 7_000 })]);
    assert.deepEqual(await store.due(6_999, 10), []);
    // Also when there are none any more.
    await newer.set(key, [], 6);
    await assert.rejects(store.set(key, [sample()], 5), isConflict);
    assert.deepEqual([await store.get(key), await again().due(9_000, 10)], [[], []]);
    await store.set(key, [sample({ fireAt: 3 })], 7);
    await store.set(other, [sample({ fireAt: 2 })], 1);
    assert.deepEqual(await again().due(9_000, 10), [other, key]);
    // Without a lease, as before. What is forgotten is forgotten with its token.
    await again().set(key, [sample()]);
    await assert.rejects(store.set(key, [], 6), isConflict);
    await again().set(key, []);
    await store.set(key, [sample({ wakeUpId: 'again' })], 1);
    assert.deepEqual(await again().get(key), [sample({ wakeUpId: 'again' })]);
  },

  'a change that is on its way when another host takes over comes before it, or not at all': async (store, again) => {
    for (let round = 0; round < 5; round += 1) {
      const [key, newer] = [keyOf(), again()];
      await store.set(key, [sample({ wakeUpId: 'first', fireAt: 10 })], 1);
      const late = Promise.allSettled([store.set(key, [sample({ wakeUpId: 'late', fireAt: round })], 1)]);
      await newer.set(key, [sample({ wakeUpId: 'mine', fireAt: 20 })], 2);
      const [result] = await late;
      assert.ok(result.status === 'fulfilled' || isConflict(result.reason), JSON.stringify(result));
      assert.deepEqual(await store.get(key), [sample({ wakeUpId: 'mine', fireAt: 20 })]);
      assert.deepEqual(await again().due(19, 10), []);
      await store.set(key, []);
    }
  },

  'a token that is none is refused': async (store) => {
    const key = keyOf();
    for (const token of [0, -1, 1.5, Number.NaN, 2 ** 53, '5', null]) {
      await assert.rejects(store.set(key, [sample()], token as number), isInvalid);
    }
    assert.deepEqual(await store.get(key), []);
  },

  'a wake-up without a time is refused, and changes nothing': async (store) => {
    const key = keyOf();
    await store.set(key, [sample()]);
    for (const fireAt of [Number.NaN, Number.POSITIVE_INFINITY, '7' as never, undefined as never]) {
      await assert.rejects(store.set(key, [sample({ fireAt })]), isInvalid);
    }
    for (const list of [null, {}, 'x', [null], [7], ['x']]) {
      await assert.rejects(store.set(key, list as never), isInvalid);
    }
    assert.deepEqual(await store.get(key), [sample()]);
  },

  'an id that is no UUID is refused': async (store) => {
    for (const id of ['../x', '', '/etc/passwd', '\0', 'A'.repeat(300)]) {
      await assert.rejects(store.get({ tenant: 'ada', id }), isInvalid);
      await assert.rejects(store.set({ tenant: 'ada', id }, [sample()]), isInvalid);
    }
  },
};
