import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startRedis } from '../../../../../scripts/servers/redis.mjs';
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
import { batchOf, expectEvents, sessionKey, untilDone } from '../../helpers/stored-once.js';

const redis = useRedis();

function options() {
  return { client: redisClient(redis.server.port), prefix: newPrefix(), tenant: 'ada' };
}

test('a server that is killed and started again among appends loses nothing and has nothing twice', async () => {
  const shared = options();
  const [store, log] = [new RedisSessionStore(shared), new RedisEventLog(shared)];
  const id = randomUUID();
  const names = Array.from({ length: 120 }, (_, index) => `n${index}`);
  let kills = Promise.resolve();
  for (const [index, name] of names.entries()) {
    if (index % 40 === 20) {
      kills = kills.then(() => redis.server.kill()).then(() => redis.server.start());
    }
    await untilDone(() => store.append(sessionKey('s'), batchOf(name)));
    await untilDone(() => log.append({ tenant: 'ada', id }, [{ type: 'user_message', text: name }]));
  }
  await kills;
  const loaded = (await untilDone(() => store.load(sessionKey('s')))).result;
  expect(loaded).toEqual(names.flatMap(batchOf));
  await expectEvents(log, id, names);
});

describe('a server whose memory is full', () => {
  test('gives `full`, stores nothing of the append, and goes on when there is room', async () => {
    const server = await startRedis({ args: ['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction'] });
    onTestFinished(() => server.stop());
    const client = redisClient(server.port);
    const store = new RedisSessionStore({ client, tenant: 'ada' });
    const log = new RedisEventLog({ client });
    const key = { tenant: 'ada', id: randomUUID() };
    const text = 'x'.repeat(100_000);
    let stored = 0;
    const fill = async (): Promise<void> => {
      for (;;) {
        await store.append(sessionKey('s'), [{ type: 'x', uuid: `${stored}`, text }]);
        stored += 1;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'full', hint: expect.stringContaining('maxmemory') });
    expect(stored).toBeGreaterThan(3);
    await client.config('SET', 'maxmemory', '1mb');
    await expect(store.append(sessionKey('new'), batchOf('a'))).rejects.toMatchObject({ code: 'full' });
    await expect(log.append(key, [{ type: 'user_message', text: 'a' }])).rejects.toMatchObject({ code: 'full' });
    expect(await store.load(sessionKey('new'))).toBeNull();
    expect((await store.load(sessionKey('s')))?.length).toBe(stored);
    await client.config('SET', 'maxmemory', '100mb');
    await store.append(sessionKey('s'), [{ type: 'x', uuid: `${stored}`, text }]);
    expect((await store.load(sessionKey('s')))?.length).toBe(stored + 1);
    expect(await log.append(key, [{ type: 'user_message', text: 'a' }])).toMatchObject([{ id: 1 }]);
  });
});

test('leases run by the clock of the server, whatever the clocks of hosts say', async () => {
  const shared = options();
  const [early, late] = [new RedisConversationStore(shared), new RedisConversationStore(shared)];
  const record = { tenant: 'ada', id: randomUUID(), createdAt: 1, updatedAt: 1 };
  await early.create(record);
  const token = await early.acquire(record, 60_000);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect(await late.acquire(record, 60_000)).toBeUndefined();
  expect(await late.renew(record, token ?? 0, 60_000)).toBe(true);
  vi.setSystemTime(Date.now() - 2 * 86_400_000);
  expect(await late.acquire(record, 60_000)).toBeUndefined();
  await late.release(record, token ?? 0);
  expect(await early.acquire(record, 60_000)).toBe((token ?? 0) + 1);
});

describe('what something else has put into the server is `damaged`, with the key, and hides nothing else', () => {
  const POISON = ['not JSON', '7', 'null', '[]', '"text"', '', '{"a":'];

  test.each(POISON)('an entry %j', async (text) => {
    const shared = options();
    const store = new RedisSessionStore(shared);
    await store.append(sessionKey('s'), batchOf('a'));
    await store.append(sessionKey('good'), batchOf('b'));
    const [list] = await shared.client.keys(`${shared.prefix}*:s:s:entries`);
    await shared.client.lset(list ?? '', 1, text);
    const damage = { code: 'damaged', key: expect.stringContaining('entry 1 of session "s"') };
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject(damage);
    expect(await store.load(sessionKey('good'))).toEqual(batchOf('b'));
    expect((await store.listSessions('p')).length).toBe(2);
  });

  test('an entry that is too long, one too many, one too few, and a key of another kind', async () => {
    const shared = options();
    const store = new RedisSessionStore({ ...shared, maxEntryBytes: 1_000 });
    await store.append(sessionKey('s'), batchOf('a'));
    const [list = ''] = await shared.client.keys(`${shared.prefix}*:s:s:entries`);
    await shared.client.lset(list, 2, JSON.stringify({ type: 'x'.repeat(1_000) }));
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', message: /maxEntryBytes/ });
    await shared.client.rpush(list, '{}');
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', message: /has 4 .* have 3/ });
    await expect(store.append(sessionKey('s'), batchOf('b'))).rejects.toMatchObject({ code: 'damaged' });
    await shared.client.del(list);
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', message: /has 0 .* have 3/ });
    await shared.client.set(list, 'text');
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged' });
    await store.delete(sessionKey('s'));
    expect(await store.load(sessionKey('s'))).toBeNull();
  });

  test('a summary is made again of the entries', async () => {
    const shared = options();
    const store = new RedisSessionStore(shared);
    await store.append(sessionKey('s'), batchOf('a'));
    const [meta = ''] = await shared.client.keys(`${shared.prefix}*:s:s:meta`);
    await shared.client.hset(meta, 'summary', '{', 'version', 'x');
    expect(await store.listSessionSummaries('p')).toEqual([]);
    await store.append(sessionKey('s'), [{ type: 'user', uuid: 'next' }]);
    expect(await store.listSessionSummaries('p')).toMatchObject([{ sessionId: 's', data: { customTitle: 'a' } }]);
  });

  test('an event, an approval and a record', async () => {
    const shared = options();
    const { client, prefix } = shared;
    const key = { tenant: 'ada', id: randomUUID() };
    const log = new RedisEventLog(shared);
    await log.append(key, [{ type: 'user_message', text: 'a' }]);
    const [stream = ''] = await client.keys(`${prefix}*:log:events`);
    await client.xadd(stream, '2-1', 'at', '1', 'event', 'x');
    await expect(log.read(key, 0, 10)).rejects.toMatchObject({ code: 'damaged', key: /event 2 of/ });
    await client.del(stream);
    await expect(log.read(key, 0, 10)).rejects.toMatchObject({ code: 'damaged' });
    await expect(log.append(key, [{ type: 'user_message', text: 'b' }])).rejects.toMatchObject({ code: 'damaged' });

    const approvals = new RedisApprovalStore(shared);
    const approval = sampleApproval(key);
    await approvals.create(approval);
    const [hash = ''] = await client.keys(`${prefix}*:approvals`);
    await client.hset(hash, approval.approvalId, JSON.stringify({ ...approval, tenant: 'bob' }));
    const damage = { code: 'damaged', key: expect.stringContaining(approval.approvalId) };
    await expect(approvals.get(key, approval.approvalId)).rejects.toMatchObject(damage);
    await expect(approvals.change(key, approval.approvalId, 'open', { state: 'consumed' })).rejects.toMatchObject(
      damage,
    );

    const conversations = new RedisConversationStore(shared);
    await conversations.create({ ...key, createdAt: 1, updatedAt: 1 });
    const good = { tenant: 'ada', id: randomUUID(), createdAt: 1, updatedAt: 2 };
    await conversations.create(good);
    await client.hset((await client.keys(`${prefix}*${key.id}`))[0] ?? '', 'updatedAt', '"x"');
    await expect(conversations.get(key)).rejects.toMatchObject({ code: 'damaged', message: /updatedAt/ });
    expect(await conversations.list('ada', { limit: 10 })).toEqual([good]);
  });

  test.each([...POISON.filter((text) => text !== '[]'), '[7]', '[{"wakeUpId":"a"}]'])('wake-ups %j', async (text) => {
    const shared = options();
    const { client, prefix } = shared;
    const store = new RedisWakeUpStore(shared);
    const keyOf = () => ({ tenant: 'ada', id: randomUUID() });
    const [bad, good] = [keyOf(), keyOf()];
    await store.set(bad, [sampleWakeUp({ fireAt: 1 })]);
    await store.set(good, [sampleWakeUp({ fireAt: 2 })]);
    await client.hset(`${prefix}{:wake-ups}:prompts`, JSON.stringify(['ada', bad.id]), text);
    for (const name of ['x', '[]', '["ada","../x"]', '{"0":1}']) await client.zadd(`${prefix}{:wake-ups}:due`, 0, name);
    await expect(store.get(bad)).rejects.toMatchObject({ code: 'damaged', key: expect.stringContaining(bad.id) });
    // Neither takes the place of what can be sent.
    expect(await store.due(5, 1)).toEqual([good]);
    await store.set(bad, [sampleWakeUp({ fireAt: 1 })]);
    expect(await store.due(5, 9)).toEqual([bad, good]);
  });
});

test('an append of 150,000 entries is one append', async () => {
  const client = redisClient(redis.server.port);
  const store = new RedisSessionStore({ client, prefix: newPrefix(), tenant: 'ada', timeoutMs: 120_000 });
  const entries = Array.from({ length: 150_000 }, (_, index) => ({ type: 'user', uuid: `u${index}` }));
  await store.append(sessionKey('s'), entries);
  expect(await store.load(sessionKey('s'))).toHaveLength(150_000);
});

test.each([
  ['an index of another kind', (client: Redis, base: string) => client.set(`${base}:touched`, 'x')],
  ['a time that is none', (client: Redis, base: string) => client.hset(`${base}:s:s:meta`, 'mtime', 'x')],
])('beside %s, an append is `damaged`, and nothing of it is stored', async (_, poison) => {
  const client = redisClient(redis.server.port);
  const prefix = newPrefix();
  const store = new RedisSessionStore({ client, prefix, tenant: 'ada' });
  await store.append(sessionKey('s'), batchOf('a'));
  await client.del(`${prefix}{ada:p}:touched`);
  await poison(client, `${prefix}{ada:p}`);
  await expect(store.append(sessionKey('s'), batchOf('b'))).rejects.toMatchObject({ code: 'damaged' });
  expect(await store.load(sessionKey('s'))).toEqual(batchOf('a'));
});

test('a conversation whose time is none is not stored by half', async () => {
  const client = redisClient(redis.server.port);
  const store = new RedisConversationStore({ client, prefix: newPrefix() });
  const key = { tenant: 'ada', id: randomUUID() };
  await expect(store.create({ ...key, createdAt: 1, updatedAt: Number.NaN })).rejects.toMatchObject({ code: 'failed' });
  expect(await store.get(key)).toBeUndefined();
  await store.create({ ...key, createdAt: 1, updatedAt: 1 });
  await expect(store.update(key, { title: 'x', updatedAt: Number.NaN })).rejects.toMatchObject({ code: 'failed' });
  expect(await store.get(key)).toEqual({ ...key, createdAt: 1, updatedAt: 1 });
});
