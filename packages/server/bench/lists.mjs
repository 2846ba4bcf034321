/**
 * What a list costs beside 100,000 conversations of one tenant, in each store: a page of 50 at the beginning and in the
 * middle, ten first pages at once, and the first call of a new process on files.
 *
 *   node --expose-gc packages/server/bench/lists.mjs [--conversations 100000] [--store files]
 *
 * Starts Redis and PostgreSQL of the distribution. Prints a table in Markdown: medians of 20, in milliseconds.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres } from '../../../scripts/servers/postgres.mjs';
import { startRedis } from '../../../scripts/servers/redis.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: { conversations: { type: 'string', default: '100000' }, store: { type: 'string' } },
});
const COUNT = Number(values.conversations);
const PAGE = 50;
const TIMES = 20;
const tenant = 'bench';
const print = (line) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'claudewire-bench-'));
const built = join(root, 'packages/stores/node_modules/.lists');
mkdirSync(built, { recursive: true });
const closers = [folder, built].map((place) => () => rmSync(place, { recursive: true, force: true }));

try {
  const kinds = await bundled();
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const client = new Redis(redis.url);
  closers.push(() => client.disconnect());
  const postgres = await startPostgres();
  closers.push(() => postgres.stop());
  const pool = new pg.Pool({ connectionString: postgres.url, max: 16 });
  closers.push(() => pool.end());
  await kinds.migrate(pool);

  const inFiles = () => new kinds.FileConversationStore(join(folder, 'conversations'));
  const stores = {
    memory: new kinds.InMemoryConversationStore(),
    files: inFiles(),
    Redis: new kinds.RedisConversationStore({ client }),
    PostgreSQL: new kinds.PostgresConversationStore({ pool }),
  };
  print(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`);
  print(`| store, ${COUNT} conversations | first page | page in the middle | ten first pages at once | usage |`);
  print('|---|---|---|---|---|');
  for (const [name, store] of Object.entries(stores)) {
    if ((values.store ?? name) !== name) continue;
    await fill(store);
    const middle = { updatedAt: COUNT / 2, id: '00000000-0000-4000-8000-000000000000' };
    const first = () => page(store);
    await first();
    const figures = [
      await median(first),
      await median(() => page(store, middle)),
      await median(() => Promise.all(Array.from({ length: 10 }, first))),
      await median(async () => await store.usage(tenant)),
    ];
    print(`| ${name} | ${figures.map((ms) => ms.toFixed(1)).join(' | ')} |`);
  }
  if ((values.store ?? 'files') === 'files') await firstCalls(inFiles);
} finally {
  for (const close of closers.reverse()) await close();
}

async function firstCalls(inFiles) {
  print(`\nFiles, the first call of a process: ${(await timeOf(() => page(inFiles()))).toFixed(0)} ms`);
  const [tenantFolder = ''] = readdirSync(join(folder, 'conversations'));
  rmSync(join(folder, 'conversations', tenantFolder, 'index'), { recursive: true });
  print(`Files, the first call without an index: ${(await timeOf(() => page(inFiles()))).toFixed(0)} ms`);
}

async function fill(store) {
  let made = 0;
  const work = async () => {
    while (made < COUNT) {
      made += 1;
      const updatedAt = made;
      await store.create({
        tenant,
        id: randomUUID(),
        createdAt: 1,
        updatedAt,
        title: 'Look at the tests',
        sessionId: randomUUID(),
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

async function page(store, after) {
  const { length } = await store.list(tenant, { limit: PAGE, after });
  if (length !== PAGE) throw new Error(`${length} conversations instead of ${PAGE}`);
}

async function timeOf(task) {
  const began = performance.now();
  await task();
  return performance.now() - began;
}

async function median(task) {
  const times = [];
  for (let time = 0; time < TIMES; time += 1) times.push(await timeOf(task));
  return times.sort((a, b) => a - b)[TIMES / 2];
}

async function bundled() {
  const outfile = join(built, 'lists.mjs');
  const files = [
    ...['packages/server/src/index.ts', 'packages/stores/src/postgres/migrate.ts'],
    ...['redis', 'postgres'].map((name) => `packages/stores/src/${name}/conversation-store.ts`),
  ];
  const contents = files.map((file) => `export * from ${JSON.stringify(join(root, file))};`).join('\n');
  await build({
    stdin: { contents, resolveDir: root },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    alias: { claudewire: join(root, 'src/index.ts'), 'claudewire-server': join(root, 'packages/server/src/index.ts') },
    external: ['pg', 'ioredis', 'ajv', 'croner'],
    // What migrate() reads is beside the source.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'packages/stores/src/postgres/x.js')).href) },
  });
  return await import(pathToFileURL(outfile).href);
}
