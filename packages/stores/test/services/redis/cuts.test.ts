import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  RedisApprovalStore,
  RedisConversationStore,
  RedisEventLog,
  RedisSessionStore,
  StoreError,
} from '../../../src/redis/index.js';
import { cuttingProxy } from '../../helpers/cutting-proxy.js';
import { newPrefix, redisClient, useRedis } from '../../helpers/redis-server.js';
import { sampleApproval } from '../../helpers/sample-approval.js';
import { batchOf, cutEverywhere, expectEvents, expectSessionOnce, sessionKey } from '../../helpers/stored-once.js';

const redis = useRedis();

/** A client whose connections can be cut, and one whose cannot. */
async function twoClients() {
  const proxy = await cuttingProxy(redis.server.port);
  const prefix = newPrefix();
  const cut = { client: redisClient(proxy.port, { retryMs: 1 }), prefix, timeoutMs: 5_000 };
  return { proxy, cut, whole: { client: redisClient(redis.server.port), prefix } };
}

test('an append to a session that is cut anywhere is stored once', async () => {
  const { proxy, cut, whole } = await twoClients();
  const store = new RedisSessionStore({ ...cut, tenant: 'ada' });
  const other = new RedisSessionStore({ ...whole, tenant: 'ada' });
  const cuts = await cutEverywhere(
    proxy,
    5,
    (name) => store.append(sessionKey(name), batchOf(name)),
    (name) => expectSessionOnce(other, name),
  );
  expect(cuts).toBeGreaterThan(100);
  expect((await other.listSessions('p')).length).toBe(cuts + 2);
});

test('an append to an event log that is cut anywhere is stored once, and gets its ids', async () => {
  const { proxy, cut, whole } = await twoClients();
  const [log, other] = [new RedisEventLog(cut), new RedisEventLog(whole)];
  const key = { tenant: 'ada', id: randomUUID() };
  const texts: string[] = [];
  await cutEverywhere(
    proxy,
    7,
    async (text) => {
      const [logged] = await log.append(key, [{ type: 'user_message', text }]);
      expect(logged?.id).toBe(texts.push(text));
    },
    () => expectEvents(other, key.id, texts),
  );
});

test('a lease that is taken, a record that is made and an approval that is decided are that once', async () => {
  const { proxy, cut, whole } = await twoClients();
  const [conversations, others] = [new RedisConversationStore(cut), new RedisConversationStore(whole)];
  const [approvals, otherApprovals] = [new RedisApprovalStore(cut), new RedisApprovalStore(whole)];
  const ids = new Map<string, { tenant: string; id: string }>();
  await cutEverywhere(
    proxy,
    29,
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
  const { proxy, cut } = await twoClients();
  const options = { ...cut, timeoutMs: 300, tenant: 'ada' };
  const [store, log] = [new RedisSessionStore(options), new RedisEventLog(options)];
  const conversations = new RedisConversationStore(options);
  await store.append(sessionKey('a'), batchOf('a'));
  proxy.stall();
  const key = { tenant: 'ada', id: randomUUID() };
  const calls = [
    store.append(sessionKey('a'), batchOf('b')),
    store.load(sessionKey('a')),
    store.listSessions('p'),
    log.append(key, [{ type: 'user_message', text: 'a' }]),
    log.read(key, 0, 1),
    conversations.acquire(key, 1_000),
  ];
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { code: 'timeout' } });
    expect((call as PromiseRejectedResult).reason).toBeInstanceOf(StoreError);
  }
});

test('a server that is not there gives `unavailable` or `timeout` when the time is over', async () => {
  const store = new RedisSessionStore({ client: redisClient(1), tenant: 'ada', timeoutMs: 300 });
  await expect(store.load(sessionKey('a'))).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:unavailable|timeout)$/),
    hint: expect.any(String),
  });
});
