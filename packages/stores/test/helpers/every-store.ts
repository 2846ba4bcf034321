import { migrate, PostgresSessionStore } from '../../src/postgres/index.js';
import { RedisSessionStore } from '../../src/redis/index.js';
import { S3SessionStore } from '../../src/s3/index.js';
import { newSchema, postgresPool, usePostgres } from './postgres-server.js';
import { newPrefix, redisClient, useRedis } from './redis-server.js';
import { newBucket, s3Client, useS3 } from './s3-server.js';
import type { WriterPlace } from './writer.js';

export type AnyStore = RedisSessionStore | PostgresSessionStore | S3SessionStore;

/** A place that is empty, and stores of it for any tenant. */
export interface Place {
  storeOf(tenant: string, options?: { readonly maxEntryBytes?: number; readonly timeoutMs?: number }): AnyStore;
  /** For another process. */
  readonly writer: WriterPlace;
}

/** A server of each kind for the tests of a file. */
export function usePlaces(): Readonly<Record<'Redis' | 'PostgreSQL' | 'S3', () => Promise<Place>>> {
  const [redis, postgres, s3] = [useRedis(), usePostgres(), useS3()];
  return {
    Redis: async () => {
      const { port } = redis.server;
      const shared = { client: redisClient(port), prefix: newPrefix() };
      return {
        storeOf: (tenant, options) => new RedisSessionStore({ ...shared, tenant, ...options }),
        writer: { kind: 'redis', port, name: shared.prefix },
      };
    },
    PostgreSQL: async () => {
      const { port } = postgres.server;
      const name = await newSchema(port);
      const pool = postgresPool(port, name);
      await migrate(pool);
      return {
        storeOf: (tenant, options) => new PostgresSessionStore({ pool, tenant, ...options }),
        writer: { kind: 'postgres', port, name },
      };
    },
    S3: async () => {
      const { port } = s3.server;
      const shared = { client: s3Client(port), bucket: await newBucket(s3Client(port)) };
      return {
        storeOf: (tenant, options) => new S3SessionStore({ ...shared, tenant, ...options }),
        writer: { kind: 's3', port, name: shared.bucket },
      };
    },
  };
}
