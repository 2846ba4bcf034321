import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionStoreEntry } from 'claudewire';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/redis/index.js';
import { type AnyStore, usePlaces } from '../helpers/every-store.js';
import { postgresPool } from '../helpers/postgres-server.js';
import { batchOf, sessionKey } from '../helpers/stored-once.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const bundle = join(root, 'packages/stores/node_modules/.test', `writer-${process.pid}.mjs`);
const places = usePlaces();

beforeAll(async () => {
  await build({
    ...{ entryPoints: [join(root, 'packages/stores/test/helpers/writer.ts')], outfile: bundle },
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    alias: { claudewire: join(root, 'src/index.ts') },
    external: [
      'ioredis',
      'pg',
      '@aws-sdk/*',
      'claudewire-server',
      'ajv',
      'ajv-formats',
      '@modelcontextprotocol/*',
      'zod',
      'zod/*',
    ],
  });
});
afterAll(() => rm(bundle, { force: true }));

const HOSTILE = [
  ':',
  '%',
  '/',
  '..',
  '\0',
  '😀',
  'x'.repeat(10_240),
  '*',
  '{a}',
  '[ab]',
  '?',
  '\ud83d',
  '\udc00',
  ' ',
  '"',
];

describe.each(['Redis', 'PostgreSQL', 'S3'] as const)('the session store on %s', (name) => {
  test('keeps tenants apart, whatever they are called', async () => {
    const place = await places[name]();
    const tenants = [...HOSTILE, 'a', 'A', 'a:b', 'a%3Ab', 'a=3Ab'];
    for (const [index, tenant] of tenants.entries()) {
      await place.storeOf(tenant).append(sessionKey(`s${index}`), [{ type: 'x', uuid: `${index}` }]);
      await place.storeOf(tenant).append(sessionKey('same'), [{ type: 'x', uuid: `same-${index}` }]);
    }
    for (const [index, tenant] of tenants.entries()) {
      const store = place.storeOf(tenant);
      expect((await store.listSessions('p')).map(({ sessionId }) => sessionId).sort()).toEqual(
        [`s${index}`, 'same'].sort(),
      );
      expect(await store.load(sessionKey('same'))).toEqual([{ type: 'x', uuid: `same-${index}` }]);
      expect(await store.load(sessionKey(`s${(index + 1) % tenants.length}`))).toBeNull();
    }
    await place.storeOf('a').delete(sessionKey('same'));
    expect(await place.storeOf('A').load(sessionKey('same'))).not.toBeNull();
    await expect(async () => place.storeOf('')).rejects.toThrow(StoreError);
  });

  test('keeps projects, sessions and transcripts with any name', async () => {
    const store = (await places[name]()).storeOf('ada');
    const session = { projectKey: 'p', sessionId: 's' };
    for (const odd of HOSTILE) {
      await store.append({ projectKey: odd, sessionId: odd }, [{ type: 'x', uuid: odd }]);
      await store.append({ ...session, subpath: odd }, [{ type: 'x', uuid: odd }]);
    }
    for (const odd of HOSTILE) {
      expect(await store.load({ projectKey: odd, sessionId: odd })).toEqual([{ type: 'x', uuid: odd }]);
      expect(await store.load({ ...session, subpath: odd })).toEqual([{ type: 'x', uuid: odd }]);
      expect((await store.listSessions(odd)).map(({ sessionId }) => sessionId)).toEqual([odd]);
    }
    expect((await store.listSubkeys(session)).sort()).toEqual([...HOSTILE].sort());
    await store.delete(session);
    expect(await store.listSubkeys(session)).toEqual([]);
    expect(await store.listSessions('..')).toHaveLength(1);
  });

  test('gives back what went in, byte for byte', async () => {
    const store = (await places[name]()).storeOf('ada');
    const text =
      '{"type":"x","uuid":"u","b":1,"a":[1e21,0.1,-0],"nul":"\\u0000","half":"\\ud83d","other":"\\udc00x","10":1,"9":2}';
    const entry = JSON.parse(text) as SessionStoreEntry;
    await store.append(sessionKey('s'), [entry]);
    expect(JSON.stringify((await store.load(sessionKey('s')))?.[0])).toBe(JSON.stringify(entry));
  });

  test('does not let a repeated old append bring anything back', async () => {
    const store = (await places[name]()).storeOf('ada');
    await store.append(sessionKey('s'), batchOf('old'));
    await store.append(sessionKey('s'), [{ type: 'custom-title', customTitle: 'new' }]);
    const before = await store.load(sessionKey('s'));
    await store.append(sessionKey('s'), batchOf('old'));
    expect(await store.load(sessionKey('s'))).toEqual(before);
    if (!('listSessionSummaries' in store)) return;
    expect(await store.listSessionSummaries('p')).toMatchObject([{ data: { customTitle: 'new' } }]);
  });

  test('takes three processes that write to one session at once', async () => {
    const place = await places[name]();
    const count = 30;
    const writers = ['a', 'b', 'c'];
    await Promise.all(
      writers.map((writer) => execa('node', [bundle, JSON.stringify(place.writer), writer, String(count)])),
    );
    const uuids = ((await place.storeOf('ada').load(sessionKey('s'))) ?? []).map(({ uuid }) => String(uuid));
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(uuids.length).toBe(writers.length * (count + (count / 3) * 2) + count / 3);
    for (const writer of writers) {
      const own = uuids.filter((uuid) => uuid.startsWith(`${writer}-`) && uuid.endsWith('answer'));
      expect(own).toEqual(Array.from({ length: count }, (_, index) => `${writer}-${index}-answer`));
    }
  });

  test('takes an entry of 50 MB, and refuses one above `maxEntryBytes`', async () => {
    const place = await places[name]();
    const store = place.storeOf('ada', { timeoutMs: 120_000 });
    const text = 'x\n"'.repeat(10_000_000);
    await store.append(sessionKey('s'), [{ type: 'x', uuid: 'big', text }]);
    expect((await store.load(sessionKey('s')))?.[0]?.text === text).toBe(true);
    const small = place.storeOf('ada', { maxEntryBytes: 100 });
    const failure = { code: 'invalid', message: /entries\[1\].*maxEntryBytes/ };
    await expect(
      small.append(sessionKey('t'), [{ type: 'x' }, { type: 'x', text: 'x'.repeat(100) }]),
    ).rejects.toMatchObject(failure);
    expect(await store.load(sessionKey('t'))).toBeNull();
    await expect(small.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged' });
  });

  test('deletes what nobody has appended to since a date, with what is below it, and nothing else', async () => {
    const place = await places[name]();
    const [store, other] = [place.storeOf('ada'), place.storeOf('bob')];
    for (let index = 0; index < 7; index += 1) await store.append(sessionKey(`old${index}`), batchOf('a'));
    await store.append({ ...sessionKey('old0'), subpath: 'subagents/a' }, batchOf('b'));
    await store.append({ ...sessionKey('only-below'), subpath: 'subagents/a' }, batchOf('b'));
    await other.append(sessionKey('old0'), batchOf('a'));
    // The last of these, since the list does not show what is only below.
    await store.append(sessionKey('kept'), batchOf('a'));
    const newest = Math.max(...(await store.listSessions('p')).map(({ mtime }) => mtime));
    await expect.poll(() => Date.now()).toBeGreaterThan(newest + 1_100);
    await store.append({ ...sessionKey('kept'), subpath: 'subagents/a' }, batchOf('young'));
    const date = new Date(newest + 1_000);
    expect(await store.deleteOlderThan(date, { batch: 3 })).toBe(8);
    expect((await store.listSessions('p')).map(({ sessionId }) => sessionId)).toEqual(['kept']);
    expect(await store.load(sessionKey('kept'))).toEqual(batchOf('a'));
    expect(await store.load({ ...sessionKey('old0'), subpath: 'subagents/a' })).toBeNull();
    expect(await other.load(sessionKey('old0'))).toEqual(batchOf('a'));
    expect(await store.deleteOlderThan(date)).toBe(0);
    await expect(store.deleteOlderThan('2026' as never)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('refuses keys, entries and options that cannot be used, by name', async () => {
    const place = await places[name]();
    const store = place.storeOf('ada');
    const wrong: readonly [() => Promise<unknown>, RegExp][] = [
      [() => store.load({ projectKey: '', sessionId: 's' }), /key\.projectKey/],
      [() => store.load({ projectKey: 'p', sessionId: 7 as never }), /key\.sessionId.*number/],
      [() => store.load({ projectKey: 'p', sessionId: 's', subpath: '' }), /key\.subpath/],
      [() => store.load(null as never), /key/],
      [() => store.append(sessionKey('s'), {} as never), /entries/],
      [() => store.append(sessionKey('s'), [[] as never]), /entries\[0\]/],
      [() => store.listSessions(undefined as never), /projectKey/],
      [async () => place.storeOf(undefined as never), /tenant/],
      [async () => place.storeOf('a', { timeoutMs: 0 }), /timeoutMs/],
      [async () => place.storeOf('a', { maxEntryBytes: 1.5 }), /maxEntryBytes/],
    ];
    for (const [call, message] of wrong) await expect(call()).rejects.toMatchObject({ code: 'invalid', message });
  });
});

describe('10,000 sessions are listed, each once,', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `s${index}`);

  async function expectAll(store: AnyStore): Promise<void> {
    expect((await store.listSessions('p')).map(({ sessionId }) => sessionId).sort()).toEqual([...ids].sort());
    if ('listSessionSummaries' in store) expect(await store.listSessionSummaries('p')).toHaveLength(10_000);
  }

  test('on Redis', async () => {
    const store = (await places.Redis()).storeOf('ada');
    for (let from = 0; from < ids.length; from += 100) {
      await Promise.all(ids.slice(from, from + 100).map((id) => store.append(sessionKey(id), [{ type: 'x' }])));
    }
    await expectAll(store);
  });

  test('on PostgreSQL', async () => {
    const place = await places.PostgreSQL();
    const store = place.storeOf('ada');
    await store.append(sessionKey('s0'), [{ type: 'x' }]);
    // Copies, since ten thousand transactions take half a minute.
    await postgresPool(place.writer.port, place.writer.name).query(
      `INSERT INTO claudewire_transcripts
        (key_hash, session_hash, project_hash, tenant_hash, tenant, project, session, summary)
      SELECT sha256(n::text::bytea), sha256(n::text::bytea), project_hash, tenant_hash, tenant, project, 's' || n, summary
      FROM claudewire_transcripts, generate_series(1, 9999) AS n`,
    );
    await expectAll(store);
  });
});
