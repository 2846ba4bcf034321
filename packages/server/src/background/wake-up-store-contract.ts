import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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

const isInvalid = (error: unknown) => error instanceof HostError && error.code === 'invalid';

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

  'an id that is no UUID is refused': async (store) => {
    for (const id of ['../x', '', '/etc/passwd', '\0', 'A'.repeat(300)]) {
      await assert.rejects(store.get({ tenant: 'ada', id }), isInvalid);
      await assert.rejects(store.set({ tenant: 'ada', id }, [sample()]), isInvalid);
    }
  },
};
