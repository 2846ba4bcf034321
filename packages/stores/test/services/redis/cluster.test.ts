import { randomUUID } from 'node:crypto';
import { sessionStoreContract } from 'claudewire/testing';
import { expect, test } from 'vitest';
import {
  RedisApprovalStore,
  RedisConversationStore,
  RedisEventLog,
  RedisSessionStore,
  RedisWakeUpStore,
} from '../../../src/redis/index.js';
import { newPrefix, redisClient, useRedis } from '../../helpers/redis-server.js';
import { sampleApproval } from '../../helpers/sample-approval.js';
import { sampleWakeUp } from '../../helpers/sample-wake-up.js';
import { batchOf, sessionKey } from '../../helpers/stored-once.js';

/** One node of a cluster, which has every slot: it refuses a script whose keys are in several ones. */
const redis = useRedis(['--cluster-enabled', 'yes']);

async function clusterClient() {
  const client = redisClient(redis.server.port);
  await client.cluster('ADDSLOTSRANGE', 0, 16383).catch(() => {});
  await expect.poll(() => client.cluster('INFO')).toContain('cluster_state:ok');
  return client;
}

for (const { name, run } of sessionStoreContract(async () => {
  return new RedisSessionStore({ client: await clusterClient(), prefix: newPrefix(), tenant: 'a:{b}c' });
})) {
  test(`in a cluster: ${name}`, run);
}

test.each(['t1:', 'app{t2}:', '{t3}'])(
  'with the prefix %j every call of every store stays in one slot',
  async (prefix) => {
    const options = { client: await clusterClient(), prefix };
    const [log, conversations] = [new RedisEventLog(options), new RedisConversationStore(options)];
    const approvals = new RedisApprovalStore(options);
    const approval = sampleApproval({ tenant: '{x}' });
    const key = { tenant: approval.tenant, id: approval.id };
    await log.append(key, [{ type: 'user_message', text: 'a' }]);
    expect((await log.read(key, 0, 1)).lastId).toBe(1);
    await log.remove(key);
    await conversations.create({ ...key, createdAt: 1, updatedAt: 1 });
    await conversations.update(key, { updatedAt: 2 });
    expect(await conversations.list(key.tenant, { limit: 5 })).toHaveLength(1);
    const token = await conversations.acquire(key, 1_000);
    expect(await conversations.renew(key, token ?? 0, 1_000)).toBe(true);
    await conversations.release(key, token ?? 0);
    await conversations.remove(key);
    await approvals.create(approval);
    expect(await approvals.change(key, approval.approvalId, 'open', { state: 'consumed' })).toBe(true);
    await approvals.removeAll(key);
    const wakeUps = new RedisWakeUpStore(options);
    await wakeUps.set(key, [sampleWakeUp()]);
    expect(await wakeUps.get(key)).toEqual([sampleWakeUp()]);
    expect(await wakeUps.due(1, 5)).toEqual([key]);
    await wakeUps.set(key, []);
    const store = new RedisSessionStore({ ...options, tenant: randomUUID() });
    await store.append({ ...sessionKey('s'), subpath: 'a' }, batchOf('a'));
    await store.append(sessionKey('s'), batchOf('a'));
    expect(await store.deleteOlderThan(new Date(Date.now() + 60_000))).toBe(1);
  },
);

test.each(['a{}', '{', 'a}b', '{a}{b}', '{a{b}', 7, '\ud83d'])('a prefix %j is refused', (prefix) => {
  const make = () => new RedisSessionStore({ client: redisClient(1), prefix: prefix as string, tenant: 'a' });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('a client with a `keyPrefix` of its own is refused, since scripts and scans would not agree', () => {
  const make = () => new RedisSessionStore({ client: redisClient(1, { keyPrefix: 'x' }), tenant: 'a' });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid', message: expect.stringContaining('prefix') }));
});
