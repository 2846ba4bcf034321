import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { haveRedis, type RedisServer, startRedis } from '../../../../scripts/servers/redis.mjs';

/** A Redis server for the tests of a file. */
export function useRedis(args: readonly string[] = []): { readonly server: RedisServer } {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    if (!(await haveRedis())) throw new Error('there is no redis-server');
    server = await startRedis({ args });
  });
  afterAll(async () => {
    await server?.stop();
  });
  return {
    get server() {
      if (server === undefined) throw new Error('only in a test');
      return server;
    },
  };
}

/** A client that ends with the test. */
export function redisClient(
  port: number,
  { retryMs = 20, ...options }: { readonly retryMs?: number; readonly keyPrefix?: string } = {},
): Redis {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => retryMs, ...options });
  // A test that cuts connections wants to see what the stores say of it.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A prefix that nothing else in the server has. */
export function newPrefix(): string {
  return `t${randomUUID().slice(0, 8)}:`;
}
