import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { migrate, PostgresEventLog, PostgresSessionStore } from '../../src/postgres/index.js';
import { RedisEventLog, RedisSessionStore } from '../../src/redis/index.js';
import { S3SessionStore } from '../../src/s3/index.js';
import { newSchema, postgresPool, usePostgres } from '../helpers/postgres-server.js';
import { newPrefix, redisClient, useRedis } from '../helpers/redis-server.js';
import { newBucket, s3Client, useS3 } from '../helpers/s3-server.js';
import { batchOf, sessionKey } from '../helpers/stored-once.js';

const [redis, postgres, s3] = [useRedis(), usePostgres(), useS3()];
const HOUR = 3_600_000;

interface Options {
  readonly retentionMs?: number;
  readonly now?: () => number;
}

/** A session store and an event log, if there is one, of the same place. */
const KINDS = {
  Redis: async () => {
    const shared = { client: redisClient(redis.server.port), prefix: newPrefix(), tenant: 'ada' };
    return (options: Options) => ({
      store: new RedisSessionStore({ ...shared, ...options }),
      log: new RedisEventLog({ ...shared, ...options }),
    });
  },
  PostgreSQL: async () => {
    const { port } = postgres.server;
    const shared = { pool: postgresPool(port, await newSchema(port)), tenant: 'ada' };
    await migrate(shared.pool);
    return (options: Options) => ({
      store: new PostgresSessionStore({ ...shared, ...options }),
      log: new PostgresEventLog({ ...shared, ...options }),
    });
  },
  S3: async () => {
    const client = s3Client(s3.server.port);
    const shared = { client, bucket: await newBucket(client), tenant: 'ada' };
    return (options: Options) => ({ store: new S3SessionStore({ ...shared, ...options }), log: undefined });
  },
} as const;

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', (name) => {
  test('deleteExpired() deletes what is older than `retentionMs`, and nothing else', async () => {
    const at = await KINDS[name]();
    const { store, log } = at({ retentionMs: HOUR });
    const key = { tenant: 'ada', id: randomUUID() };
    await store.append(sessionKey('s'), batchOf('a'));
    await log?.append(key, [{ type: 'user_message', text: 'Hello.' }]);
    const early = at({ retentionMs: HOUR, now: () => Date.now() + HOUR / 2 });
    const late = at({ retentionMs: HOUR, now: () => Date.now() + 2 * HOUR });
    for (const one of [{ store, log }, early]) {
      expect(await one.store.deleteExpired()).toBe(0);
      expect((await one.log?.deleteExpired('ada')) ?? 0).toBe(0);
    }
    expect(await store.load(sessionKey('s'))).toEqual(batchOf('a'));
    expect((await late.log?.deleteExpired('somebody else')) ?? 0).toBe(0);
    expect(await late.store.deleteExpired()).toBe(1);
    expect((await late.log?.deleteExpired('ada')) ?? 1).toBe(1);
    expect(await store.load(sessionKey('s'))).toBeNull();
    expect((await log?.read(key, 0, 1))?.events ?? []).toEqual([]);
  });

  test('without `retentionMs` it is refused, and so is one that cannot be used', async () => {
    const at = await KINDS[name]();
    const refused = { code: 'invalid', message: expect.stringContaining('retentionMs') };
    await expect(at({}).store.deleteExpired()).rejects.toMatchObject(refused);
    await expect(at({}).log?.deleteExpired('ada') ?? Promise.reject(refused)).rejects.toMatchObject(refused);
    for (const retentionMs of [0, -1, 1.5, '1' as never]) expect(() => at({ retentionMs })).toThrow('retentionMs');
    expect(() => at({ now: 7 as never })).toThrow('`now` must be a function');
    const broken = at({ retentionMs: 1, now: () => Number.NaN });
    await expect(broken.store.deleteExpired()).rejects.toMatchObject({ code: 'invalid' });
  });
});
