import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertMaker } from '../checks.js';
import { HostError } from '../errors.js';
import type { Approval } from './approval.js';
import type { ApprovalStore } from './approval-store.js';

/** One promise of an approval store, ready to be run by any test runner. */
export interface ApprovalStoreCase {
  /** A sentence: the test's title. */
  readonly name: string;
  run(): Promise<void>;
}

/** Makes a store that is empty. A call of `again` gives the same store as another host sees it. */
export type MakeApprovalStore = () => { readonly store: ApprovalStore; again(): ApprovalStore };

/**
 * The promises of an {@link ApprovalStore} as a list of cases.
 *
 * @example
 * for (const { name, run } of approvalStoreContract(makeStore)) test(name, run);
 */
export function approvalStoreContract(make: MakeApprovalStore): readonly ApprovalStoreCase[] {
  assertMaker('approvalStoreContract()', make);
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => {
      const { store, again } = make();
      await check(store, again);
    },
  }));
}

function sample(over: Partial<Approval> = {}): Approval {
  return {
    ...{ tenant: 'ada', id: randomUUID(), approvalId: randomUUID(), toolName: 'Bash', toolUseId: 'toolu_1' },
    ...{ input: { command: 'ls "\u2028' }, inputDigest: 'd', createdAt: 1, expiresAt: 2, state: 'open', ...over },
  };
}

const isCode = (code: string) => (error: unknown) => error instanceof HostError && error.code === code;

const CASES: Readonly<Record<string, (store: ApprovalStore, again: () => ApprovalStore) => Promise<void>>> = {
  'an approval is read as it was stored, also by another host': async (store, again) => {
    const approval = sample();
    await store.create(approval);
    assert.deepEqual(await again().get(approval, approval.approvalId), approval);
    await assert.rejects(store.create(approval), isCode('conflict'));
  },

  'a list has the approvals of one conversation, the oldest first': async (store, again) => {
    const { tenant, id } = sample();
    for (const createdAt of [3, 1, 2]) await store.create(sample({ tenant, id, createdAt }));
    await store.create(sample());
    assert.deepEqual(
      (await again().list({ tenant, id })).map(({ createdAt }) => createdAt),
      [1, 2, 3],
    );
    assert.deepEqual(await store.list({ tenant: 'bob', id }), []);
  },

  'another tenant finds nothing under the same ids': async (store) => {
    const approval = sample();
    await store.create(approval);
    const other = { ...approval, tenant: 'bob' };
    assert.equal(await store.get(other, approval.approvalId), undefined);
    assert.equal(await store.change(other, approval.approvalId, 'open', { state: 'consumed' }), false);
    await store.removeAll(other);
    assert.deepEqual(await store.get(approval, approval.approvalId), approval);
  },

  'of many that decide at once, one gets it, and the others see what was decided': async (store, again) => {
    const approval = sample();
    await store.create(approval);
    const decisions = Array.from({ length: 8 }, (_, index) => ({ behavior: 'deny', message: `${index}` }) as const);
    const got = await Promise.all(
      decisions.map((decision) =>
        again().change(approval, approval.approvalId, 'open', { state: 'consumed', decision, finalDigest: 'f' }),
      ),
    );
    assert.equal(got.filter(Boolean).length, 1);
    const decision = decisions[got.indexOf(true)];
    const expected = { ...approval, state: 'consumed', decision, finalDigest: 'f' };
    assert.deepEqual(await store.get(approval, approval.approvalId), expected);
  },

  'no state leads back, and a final one leads nowhere': async (store) => {
    const approval = sample();
    const { approvalId } = approval;
    await store.create(approval);
    assert.equal(await store.change(approval, approvalId, 'consumed', { state: 'done' }), false);
    assert.equal(await store.change(approval, approvalId, 'open', { state: 'done' }), false);
    assert.equal(await store.change(approval, approvalId, 'open', { state: 'consumed' }), true);
    assert.equal(await store.change(approval, approvalId, 'open', { state: 'expired' }), false);
    assert.equal(await store.change(approval, approvalId, 'consumed', { state: 'open' }), false);
    assert.equal(await store.change(approval, approvalId, 'consumed', { state: 'outcome_unknown' }), true);
    assert.equal(await store.change(approval, approvalId, 'outcome_unknown', { state: 'consumed' }), false);
    assert.equal((await store.get(approval, approvalId))?.state, 'outcome_unknown');
  },

  'the approvals of a removed conversation are gone': async (store, again) => {
    const approval = sample();
    await store.create(approval);
    await store.removeAll(approval);
    await store.removeAll(approval);
    assert.deepEqual(await again().list(approval), []);
    assert.equal(await store.change(approval, approval.approvalId, 'open', { state: 'consumed' }), false);
  },

  'an id that is no UUID is refused by every method': async (store) => {
    for (const bad of ['../x', '..', '', '/etc/passwd', 'a/../../b', 'A'.repeat(300), '\0', 'x\ny']) {
      const approval = sample();
      await assert.rejects(store.create({ ...approval, approvalId: bad }), isCode('invalid'));
      await assert.rejects(store.create({ ...approval, id: bad }), isCode('invalid'));
      await assert.rejects(store.get(approval, bad), isCode('invalid'));
      await assert.rejects(store.list({ ...approval, id: bad }), isCode('invalid'));
      await assert.rejects(store.change(approval, bad, 'open', { state: 'consumed' }), isCode('invalid'));
      await assert.rejects(store.removeAll({ ...approval, id: bad }), isCode('invalid'));
    }
  },
};
