import { expect, test } from 'vitest';
import * as postgres from '../src/postgres/index.js';
import * as redis from '../src/redis/index.js';
import * as s3 from '../src/s3/index.js';

/** As a program without types has them. */
type Store = new (options?: unknown) => unknown;

const redisClient = { client: { evalsha: () => {}, options: {}, duplicate: () => {}, on: () => {} } };
const pool = { pool: { connect: () => {} } };
const bucket = { client: { send: () => {} }, bucket: 'b' };
const STORES: readonly (readonly [Store, object, string])[] = [
  ...[redis.RedisApprovalStore, redis.RedisConversationStore, redis.RedisEventLog, redis.RedisWakeUpStore].map(
    (Make) => [Make as Store, redisClient, 'client, prefix, timeoutMs'] as const,
  ),
  [redis.RedisSessionStore as Store, { ...redisClient, tenant: 'ada' }, 'client, prefix, timeoutMs, retentionMs, now'],
  ...[
    ...[postgres.PostgresApprovalStore, postgres.PostgresConversationStore, postgres.PostgresEventLog],
    postgres.PostgresWakeUpStore,
  ].map((Make) => [Make as Store, pool, 'pool, timeoutMs'] as const),
  [postgres.PostgresSessionStore as Store, { ...pool, tenant: 'ada' }, 'pool, timeoutMs, retentionMs, now, tenant'],
  [s3.S3SessionStore as Store, { ...bucket, tenant: 'ada' }, 'client, bucket, prefix, timeoutMs, retentionMs, now'],
];

test.each(STORES)('%o names an option that it does not have, and what it takes', (Make, good, known) => {
  expect(new Make(good)).toBeInstanceOf(Make);
  const failure = { name: 'StoreError', code: 'invalid' };
  expect(() => new Make({ ...good, timeoutMS: 5 })).toThrow(
    expect.objectContaining({
      ...failure,
      message: expect.stringContaining(`new ${Make.name}() has no option \`timeoutMS\`. There are: ${known}`),
    }),
  );
  for (const [given, got] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['redis://', 'string'],
  ]) {
    const message = `new ${Make.name}() takes an object with its options, got ${got}.`;
    expect(() => new Make(given)).toThrow(expect.objectContaining({ ...failure, message }));
  }
});

test('one object may be given to several stores: the options of others are let through', () => {
  const namesOf = (Make: Store, good: object): readonly string[] => {
    try {
      new Make({ ...good, timeoutMS: 5 });
    } catch (error) {
      return /There are: (.*)\.$/.exec(String(error))?.[1]?.split(', ') ?? [];
    }
    return [];
  };
  const all = new Set(STORES.flatMap(([Make, good]) => namesOf(Make, good)));
  expect(all.size).toBe(12);
  const others = Object.fromEntries([...all].map((name) => [name, undefined]));
  for (const [Make, good] of STORES) expect(new Make({ ...others, ...good })).toBeInstanceOf(Make);
});

test('so does migrate()', async () => {
  const migrate = postgres.migrate as (pool?: unknown, options?: unknown) => Promise<unknown>;
  const of = (message: RegExp) => ({ code: 'invalid', message: expect.stringMatching(message) });
  await expect(migrate()).rejects.toMatchObject(of(/Option `pool` must be a Pool of pg, got undefined/));
  await expect(migrate(pool.pool, { timeout: 1 })).rejects.toMatchObject(of(/migrate\(\) has no option `timeout`/));
  await expect(migrate(pool.pool, null)).rejects.toMatchObject(of(/migrate\(\) takes an object .*, got null/));
});
