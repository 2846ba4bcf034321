import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  migrate,
  PostgresApprovalStore,
  PostgresConversationStore,
  PostgresEventLog,
  PostgresSessionStore,
  PostgresWakeUpStore,
} from '../../../src/postgres/index.js';
import { hashOf } from '../../../src/postgres/keys.js';
import { newSchema, postgresPool, usePostgres } from '../../helpers/postgres-server.js';
import { sampleApproval } from '../../helpers/sample-approval.js';
import { sampleWakeUp } from '../../helpers/sample-wake-up.js';
import { batchOf, expectEvents, sessionKey, untilDone } from '../../helpers/stored-once.js';

const postgres = usePostgres();

async function options(): Promise<{ pool: pg.Pool; tenant: string }> {
  const schema = await newSchema(postgres.server.port);
  const pool = postgresPool(postgres.server.port, schema);
  await migrate(pool);
  return { pool, tenant: 'ada' };
}

test('a server that is killed and started again among appends loses nothing and has nothing twice', async () => {
  const shared = await options();
  const [store, log] = [new PostgresSessionStore(shared), new PostgresEventLog(shared)];
  const id = randomUUID();
  const names = Array.from({ length: 90 }, (_, index) => `n${index}`);
  let kills = Promise.resolve();
  for (const [index, name] of names.entries()) {
    if (index % 40 === 20) {
      kills = kills.then(() => postgres.server.kill()).then(() => postgres.server.start());
    }
    await untilDone(() => store.append(sessionKey('s'), batchOf(name)));
    await untilDone(() => log.append({ tenant: 'ada', id }, [{ type: 'user_message', text: name }]));
  }
  await kills;
  const loaded = (await untilDone(() => store.load(sessionKey('s')))).result;
  expect(loaded).toEqual(names.flatMap(batchOf));
  await expectEvents(log, id, names);
});

test('leases run by the clock of the server, whatever the clocks of hosts say', async () => {
  const shared = await options();
  const [early, late] = [new PostgresConversationStore(shared), new PostgresConversationStore(shared)];
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

test('a writer that holds the lock for too long gives `timeout`, and the append is not stored', async () => {
  const shared = await options();
  const store = new PostgresSessionStore({ ...shared, timeoutMs: 300 });
  await store.append(sessionKey('s'), batchOf('a'));
  const blocker = await shared.pool.connect();
  await blocker.query('BEGIN; SELECT * FROM claudewire_transcripts FOR UPDATE');
  await expect(store.append(sessionKey('s'), batchOf('b'))).rejects.toMatchObject({ code: 'timeout' });
  await blocker.query('ROLLBACK');
  blocker.release();
  expect(await store.load(sessionKey('s'))).toEqual(batchOf('a'));
});

test('a disk that is full gives `full`, and nothing of the append is stored', async (context) => {
  const { folder, port } = postgres.server;
  const place = join(folder, 'small-disk');
  await mkdir(place);
  const { uid, gid } = await stat(folder);
  const flags = `size=6m,mode=700,uid=${uid},gid=${gid}`;
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', flags, 'tmpfs', place], { reject: false });
  if (mounted.failed) context.skip(`a small disk cannot be mounted: ${mounted.shortMessage}`);
  const admin = postgresPool(port, 'public');
  onTestFinished(async () => {
    await execa('umount', ['--lazy', place], { reject: false });
  });
  await admin.query(`CREATE TABLESPACE small LOCATION '${place}'`);
  const schema = await newSchema(port);
  await admin.query(`CREATE ROLE small_user SUPERUSER LOGIN; ALTER ROLE small_user SET default_tablespace = small`);
  const pool = postgresPool(port, schema, 2, 'postgres', 'small_user');
  await migrate(pool);
  const [store, log] = [new PostgresSessionStore({ pool, tenant: 'ada' }), new PostgresEventLog({ pool })];
  let stored = 0;
  // Bytes that PostgreSQL cannot compress.
  const entry = () => ({ type: 'x', uuid: `${stored}`, text: randomBytes(150_000).toString('base64') });
  const fill = async (): Promise<void> => {
    for (;;) {
      await store.append(sessionKey('s'), [entry()]);
      stored += 1;
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: 'full', hint: expect.any(String) });
  expect(stored).toBeGreaterThan(3);
  expect((await store.load(sessionKey('s')))?.length).toBe(stored);
  const event = { type: 'user_message', text: entry().text.repeat(2) } as const;
  await expect(log.append({ tenant: 'ada', id: randomUUID() }, [event])).rejects.toMatchObject({ code: 'full' });
  await execa('mount', ['-o', `remount,${flags.replace('6m', '100m')}`, place]);
  await store.append(sessionKey('s'), [entry()]);
  expect((await store.load(sessionKey('s')))?.length).toBe(stored + 1);
});

describe('migrate()', () => {
  test('may be called by many hosts at once, and again', async () => {
    const schema = await newSchema(postgres.server.port);
    const pools = Array.from({ length: 4 }, () => postgresPool(postgres.server.port, schema, 1));
    const applied = await Promise.all(pools.map((pool) => migrate(pool)));
    expect(applied.flat()).toEqual([1, 2, 3, 4]);
    expect(await migrate(pools[0] as pg.Pool)).toEqual([]);
  });

  test('counts what the conversations take that were there before', async () => {
    const pool = postgresPool(postgres.server.port, await newSchema(postgres.server.port), 1);
    await pool.query(await readFile(new URL('../../../sql/001-stores.sql', import.meta.url), 'utf8'));
    const store = new PostgresConversationStore({ pool });
    const record = { tenant: 'ada', id: randomUUID(), createdAt: 1, updatedAt: 1 };
    await expect(store.create(record)).rejects.toMatchObject({ code: 'not_ready' });
    await pool.query(
      `INSERT INTO claudewire_conversations (key_hash, tenant_hash, tenant, id, created_at, updated_at, creator)
        VALUES ($1, $2, 'ada', $3, 1, 1, $3)`,
      [hashOf('ada', record.id), hashOf('ada'), record.id],
    );
    expect(await migrate(pool)).toEqual([2, 3, 4]);
    expect(await store.usage('ada')).toEqual({ conversations: 1, bytes: 0 });
    await store.update(record, { bytes: 7 });
    expect(await store.usage('ada')).toEqual({ conversations: 1, bytes: 7 });
    expect(await store.list('ada', { limit: 5 })).toEqual([{ ...record, bytes: 7 }]);
  });

  test('a store without it says what to do', async () => {
    const pool = postgresPool(postgres.server.port, await newSchema(postgres.server.port));
    const failure = { code: 'not_ready', hint: expect.stringContaining('migrate(pool)') };
    await expect(new PostgresSessionStore({ pool, tenant: 'a' }).load(sessionKey('s'))).rejects.toMatchObject(failure);
  });

  test('a database that is not in UTF-8 is refused', async () => {
    const { port } = postgres.server;
    const admin = postgresPool(port, 'public');
    const name = `latin${randomUUID().slice(0, 8)}`;
    await admin.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
    const pool = postgresPool(port, 'public', 1, name);
    await expect(migrate(pool)).rejects.toMatchObject({ code: 'not_ready', message: /LATIN1/ });
  });
});

describe('what something else has put into the tables is `damaged`, with the key, and hides nothing else', () => {
  const POISON = ['not JSON', '7', 'null', '[]', '"text"', '', '{"a":'];

  test.each(POISON)('an entry %j', async (text) => {
    const shared = await options();
    const store = new PostgresSessionStore(shared);
    await store.append(sessionKey('s'), batchOf('a'));
    await store.append(sessionKey('good'), batchOf('b'));
    await shared.pool.query(
      `UPDATE claudewire_entries SET body = $1 WHERE seq = 2 AND transcript =
        (SELECT id FROM claudewire_transcripts WHERE session = 's')`,
      [text],
    );
    const damage = { code: 'damaged', key: expect.stringContaining('entry 2 of session "s"') };
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject(damage);
    expect(await store.load(sessionKey('good'))).toEqual(batchOf('b'));
    expect((await store.listSessions('p')).length).toBe(2);
  });

  test('an entry that is too long, and one too few', async () => {
    const shared = await options();
    const store = new PostgresSessionStore({ ...shared, maxEntryBytes: 1_000 });
    await store.append(sessionKey('s'), batchOf('a'));
    const long = JSON.stringify({ type: 'x'.repeat(1_000) });
    await shared.pool.query('UPDATE claudewire_entries SET body = $1 WHERE seq = 3', [long]);
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', message: /maxEntryBytes/ });
    await shared.pool.query('DELETE FROM claudewire_entries WHERE seq = 3');
    await expect(store.load(sessionKey('s'))).rejects.toMatchObject({ code: 'damaged', message: /has 2 .* have 3/ });
  });

  test('a summary is made again of the entries', async () => {
    const shared = await options();
    const store = new PostgresSessionStore(shared);
    await store.append(sessionKey('s'), batchOf('a'));
    await shared.pool.query("UPDATE claudewire_transcripts SET summary = '{'");
    expect(await store.listSessionSummaries('p')).toEqual([]);
    await store.append(sessionKey('s'), [{ type: 'user', uuid: 'next' }]);
    expect(await store.listSessionSummaries('p')).toMatchObject([{ sessionId: 's', data: { customTitle: 'a' } }]);
  });

  test('an event, an event that is gone, and an approval', async () => {
    const shared = await options();
    const key = { tenant: 'ada', id: randomUUID() };
    const log = new PostgresEventLog(shared);
    await log.append(
      key,
      ['a', 'b', 'c'].map((text) => ({ type: 'user_message', text }) as const),
    );
    await shared.pool.query("UPDATE claudewire_events SET body = 'x' WHERE id = 2");
    await expect(log.read(key, 0, 10)).rejects.toMatchObject({ code: 'damaged', key: /event 2 of/ });
    await shared.pool.query('DELETE FROM claudewire_events WHERE id = 2');
    await expect(log.read(key, 0, 10)).rejects.toMatchObject({ code: 'damaged' });
    const approvals = new PostgresApprovalStore(shared);
    const approval = sampleApproval(key);
    await approvals.create(approval);
    const other = JSON.stringify({ ...approval, tenant: 'bob' });
    await shared.pool.query('UPDATE claudewire_approvals SET body = $1', [other]);
    const damage = { code: 'damaged', key: expect.stringContaining(approval.approvalId) };
    await expect(approvals.get(key, approval.approvalId)).rejects.toMatchObject(damage);
  });

  test.each([...POISON.filter((text) => text !== '[]'), '[7]', '[{"wakeUpId":"a"}]'])('wake-ups %j', async (text) => {
    const shared = await options();
    const store = new PostgresWakeUpStore(shared);
    const keyOf = () => ({ tenant: 'ada', id: randomUUID() });
    const [bad, strange, good] = [keyOf(), keyOf(), keyOf()];
    for (const [fireAt, key] of [bad, strange, good].entries()) await store.set(key, [sampleWakeUp({ fireAt })]);
    const where = (key: { id: string }) => `WHERE conversation = '${key.id}'`;
    await shared.pool.query(`UPDATE claudewire_wake_ups SET body = $1 ${where(bad)}`, [text]);
    await shared.pool.query(`UPDATE claudewire_wake_ups SET tenant = 'x"' ${where(strange)}`);
    await expect(store.get(bad)).rejects.toMatchObject({ code: 'damaged', key: expect.stringContaining(bad.id) });
    // Neither takes the place of what can be sent.
    expect(await store.due(5, 1)).toEqual([good]);
    await store.set(bad, [sampleWakeUp({ fireAt: 1 })]);
    expect(await store.due(5, 9)).toEqual([bad, good]);
  });
});

test('what is due is found by an index, however many conversations wait', async () => {
  const { pool } = await options();
  await pool.query(`INSERT INTO claudewire_wake_ups (key_hash, tenant, conversation, first_at, body)
    SELECT sha256(convert_to(n::text, 'UTF8')), 'ada', gen_random_uuid(), n, '[]' FROM generate_series(1, 20000) AS n`);
  await pool.query('ANALYZE claudewire_wake_ups');
  const plan = await pool.query(`EXPLAIN SELECT key_hash, body FROM claudewire_wake_ups
    WHERE first_at <= 5 AND (first_at, key_hash) > ('-Infinity', '') ORDER BY first_at, key_hash LIMIT 200`);
  const text = plan.rows.map((row) => String(Object.values(row)[0])).join('\n');
  expect(text).toContain('Index Scan using claudewire_wake_ups_first');
  expect(text).not.toContain('Sort');
});
