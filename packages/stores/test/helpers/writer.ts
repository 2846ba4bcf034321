/** A process that appends to a session: `node writer.js '{"kind":"redis",...}' name count`. */
import { S3Client } from '@aws-sdk/client-s3';
import type { SessionStore } from 'claudewire';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PostgresSessionStore } from '../../src/postgres/session-store.js';
import { RedisSessionStore } from '../../src/redis/session-store.js';
import { S3SessionStore } from '../../src/s3/session-store.js';

export interface WriterPlace {
  readonly kind: 'redis' | 'postgres' | 's3';
  readonly port: number;
  /** Prefix, schema or bucket. */
  readonly name: string;
}

function open({ kind, port, name }: WriterPlace): { readonly store: SessionStore; close(): Promise<unknown> } {
  const tenant = 'ada';
  if (kind === 'redis') {
    const client = new Redis(port, '127.0.0.1');
    return { store: new RedisSessionStore({ client, prefix: name, tenant }), close: () => client.quit() };
  }
  if (kind === 'postgres') {
    const place = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };
    const pool = new pg.Pool({ ...place, options: `-c search_path=${name}` });
    return { store: new PostgresSessionStore({ pool, tenant }), close: () => pool.end() };
  }
  const client = new S3Client({
    ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  return {
    store: new S3SessionStore({ client, bucket: name, tenant, timeoutMs: 60_000 }),
    close: async () => client.destroy(),
  };
}

const [place = '', writer = '', count = ''] = process.argv.slice(2);
if (place !== '') {
  const { store, close } = open(JSON.parse(place) as WriterPlace);
  const key = { projectKey: 'p', sessionId: 's' };
  for (let index = 0; index < Number(count); index += 1) {
    // Every third entry is one that all writers have.
    const uuid = index % 3 === 2 ? `shared-${index}` : `${writer}-${index}`;
    await store.append(key, [
      { type: 'user', uuid },
      { type: 'assistant', uuid: `${writer}-${index}-answer` },
    ]);
  }
  await close();
}
