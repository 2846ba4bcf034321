import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  migrate,
  PostgresApprovalStore,
  PostgresConversationStore,
  PostgresEventLog,
  PostgresSessionStore,
  StoreError,
} from '../../../src/postgres/index.js';
import { cuttingProxy } from '../../helpers/cutting-proxy.js';
import { newSchema, postgresPool, usePostgres } from '../../helpers/postgres-server.js';
import { sampleApproval } from '../../helpers/sample-approval.js';
import { batchOf, cutEverywhere, expectEvents, expectSessionOnce, sessionKey } from '../../helpers/stored-once.js';

const postgres = usePostgres();

/** A pool whose connections can be cut, and one whose cannot. */
async function twoPools() {
  const { port } = postgres.server;
  const proxy = await cuttingProxy(port);
  const schema = await newSchema(port);
  const whole = { pool: postgresPool(port, schema) };
  await migrate(whole.pool);
  return { proxy, whole, cut: { pool: postgresPool(proxy.port, schema, 1), timeoutMs: 5_000 } };
}

test('an append to a session that is cut anywhere is stored once', async () => {
  const { proxy, cut, whole } = await twoPools();
  const store = new PostgresSessionStore({ ...cut, tenant: 'ada' });
  const other = new PostgresSessionStore({ ...whole, tenant: 'ada' });
  const cuts = await cutEverywhere(
    proxy,
    17,
    (name) => store.append(sessionKey(name), batchOf(name)),
    (name) => expectSessionOnce(other, name),
  );
  expect(cuts).toBeGreaterThan(100);
  expect((await other.listSessions('p')).length).toBe(cuts + 2);
});

test('an append to an event log that is cut anywhere is stored once, and gets its ids', async () => {
  const { proxy, cut, whole } = await twoPools();
  const [log, other] = [new PostgresEventLog(cut), new PostgresEventLog(whole)];
  const key = { tenant: 'ada', id: randomUUID() };
  const texts: string[] = [];
  await cutEverywhere(
    proxy,
    23,
    async (text) => {
      const [logged] = await log.append(key, [{ type: 'user_message', text }]);
      expect(logged?.id).toBe(texts.push(text));
    },
    () => expectEvents(other, key.id, texts),
  );
});

test('a lease that is taken, a record that is made and an approval that is decided are that once', async () => {
  const { proxy, cut, whole } = await twoPools();
  const [conversations, others] = [new PostgresConversationStore(cut), new PostgresConversationStore(whole)];
  const [approvals, otherApprovals] = [new PostgresApprovalStore(cut), new PostgresApprovalStore(whole)];
  const ids = new Map<string, { tenant: string; id: string }>();
  await cutEverywhere(
    proxy,
    61,
    async (name) => {
      const approval = sampleApproval();
      const key = { tenant: approval.tenant, id: approval.id };
      ids.set(name, key);
      await conversations.create({ ...key, createdAt: 1, updatedAt: 1, title: name });
      expect(await conversations.acquire(key, 60_000)).toBe(1);
      await approvals.create(approval);
      expect(await approvals.change(key, approval.approvalId, 'open', { state: 'consumed' })).toBe(true);
    },
    async (name) => {
      const key = ids.get(name) ?? { tenant: '', id: '' };
      expect(await others.acquire(key, 60_000)).toBeUndefined();
      expect((await otherApprovals.list(key)).map(({ state }) => state)).toEqual(['consumed']);
    },
  );
});

test('a server that takes connections and never answers gives `timeout` when the time is over', async () => {
  const { proxy, cut } = await twoPools();
  const options = { ...cut, timeoutMs: 300, tenant: 'ada' };
  const [store, log] = [new PostgresSessionStore(options), new PostgresEventLog(options)];
  const conversations = new PostgresConversationStore(options);
  await store.append(sessionKey('a'), batchOf('a'));
  proxy.stall();
  const key = { tenant: 'ada', id: randomUUID() };
  const calls = [
    () => store.append(sessionKey('a'), batchOf('b')),
    () => store.load(sessionKey('a')),
    () => store.listSessions('p'),
    () => log.append(key, [{ type: 'user_message', text: 'a' }]),
    () => log.read(key, 0, 1),
    () => conversations.acquire(key, 1_000),
  ];
  for (const call of calls) {
    const [result] = await Promise.allSettled([call()]);
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'timeout' } });
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(StoreError);
  }
});

test('a server that is not there gives `unavailable` when the time is over', async () => {
  const store = new PostgresSessionStore({ pool: postgresPool(1, 'public'), tenant: 'ada', timeoutMs: 300 });
  await expect(store.load(sessionKey('a'))).rejects.toMatchObject({ code: 'unavailable', hint: expect.any(String) });
});
