/**
 * What the stores cost beside each other, on servers of this machine, in one run: appends a second by one writer and by
 * eight (each on a session of its own, and waiting for each append), and the load of a session of 10,000 entries.
 *
 *   node packages/stores/bench/run.mjs [--seconds 3]
 *
 * Prints a table in Markdown.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { build } from 'esbuild';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres } from '../../../scripts/servers/postgres.mjs';
import { startRedis } from '../../../scripts/servers/redis.mjs';
import { haveS3, startS3 } from '../../../scripts/servers/s3.mjs';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } });
const print = (line) => process.stdout.write(`${line}\n`);
const MS = Number(values.seconds) * 1_000;
const ENTRIES = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'claudewire-bench-'));
const built = join(root, 'packages/stores/node_modules/.bench');
mkdirSync(built, { recursive: true });
const closers = [
  () => rmSync(folder, { recursive: true, force: true }),
  () => rmSync(built, { recursive: true, force: true }),
];

try {
  const { FileSessionStore, InMemorySessionStore, RedisSessionStore, PostgresSessionStore, migrate, S3SessionStore } =
    await bundled();

  const redis = await startRedis();
  closers.push(() => redis.stop());
  const client = new Redis(redis.url);
  closers.push(() => client.disconnect());

  const postgres = await startPostgres();
  closers.push(() => postgres.stop());
  const pool = new pg.Pool({ connectionString: postgres.url, max: 8 });
  closers.push(() => pool.end());
  await migrate(pool);

  if (!(await haveS3())) throw new Error('the stand-in for S3 cannot run here');
  const server = await startS3();
  closers.push(() => server.stop());
  const s3 = new S3Client({
    ...{ endpoint: server.url, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  closers.push(() => s3.destroy());
  await s3.send(new CreateBucketCommand({ Bucket: 'bench' }));

  const tenant = 'bench';
  const stores = {
    memory: new InMemorySessionStore(),
    file: new FileSessionStore(join(folder, 'sessions')),
    'Redis, fsync of every append': new RedisSessionStore({ client, tenant }),
    'PostgreSQL, fsync of every append': new PostgresSessionStore({ pool, tenant }),
    'S3 stand-in': new S3SessionStore({ client: s3, bucket: 'bench', tenant, timeoutMs: 120_000 }),
  };
  print(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);
  print('| store | appends a second, 1 writer | 8 writers | load of 10,000 entries, ms |');
  print('|---|---|---|---|');
  for (const [name, store] of Object.entries(stores)) {
    const [one, eight] = [await appends(store, 1), await appends(store, 8)];
    const load = await loadMs(store);
    print(`| ${name} | ${one.toFixed(0)} | ${eight.toFixed(0)} | ${load.toFixed(0)} |`);
  }
} finally {
  for (const close of closers.reverse()) await close();
}

async function appends(store, writers) {
  const end = performance.now() + MS;
  let count = 0;
  const write = async (writer) => {
    for (let index = 0; performance.now() < end; index += 1) {
      await store.append({ projectKey: 'p', sessionId: `${writers}-${writer}` }, [
        entry(`${writers}-${writer}-${index}`),
      ]);
      count += 1;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return count / ((performance.now() - began) / 1_000);
}

/** Of three, the one in the middle. Written by appends of 100. */
async function loadMs(store) {
  const key = { projectKey: 'p', sessionId: 'long' };
  for (let from = 0; from < ENTRIES; from += 100) {
    await store.append(
      key,
      Array.from({ length: 100 }, (_, index) => entry(`long-${from + index}`)),
    );
  }
  const times = [];
  for (let round = 0; round < 3; round += 1) {
    const began = performance.now();
    const { length } = await store.load(key);
    if (length !== ENTRIES) throw new Error(`${length} entries instead of ${ENTRIES}`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[1] ?? 0;
}

/** About as long as an entry of the CLI with a short text. */
function entry(uuid) {
  return {
    type: 'user',
    uuid,
    timestamp: new Date(0).toISOString(),
    message: { role: 'user', content: 'x'.repeat(500) },
  };
}

async function bundled() {
  const outfile = join(built, 'stores.mjs');
  const stores = ['redis', 'postgres', 's3'].map((name) => `packages/stores/src/${name}/session-store.ts`);
  const files = ['src/index.ts', ...stores, 'packages/stores/src/postgres/migrate.ts'];
  const contents = files.map((file) => `export * from ${JSON.stringify(join(root, file))};`).join('\n');
  await build({
    stdin: { contents, resolveDir: root },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    alias: { claudewire: join(root, 'src/index.ts') },
    packages: 'external',
    // What migrate() reads is beside the source.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'packages/stores/src/postgres/x.js')).href) },
  });
  return await import(pathToFileURL(outfile).href);
}
