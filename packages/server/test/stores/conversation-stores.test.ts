import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConversationRecord } from '../../src/stores/conversation-store.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { conversationStoreContract } from '../../src/testing.js';
import { tempFolder } from '../helpers/temp-folder.js';

describe('InMemoryConversationStore', () => {
  const make = () => {
    const store = new InMemoryConversationStore();
    return { store, again: () => store };
  };
  for (const { name, run } of conversationStoreContract(make)) test(name, run);
});

describe('FileConversationStore', () => {
  const make = () => {
    const folder = tempFolder();
    return { store: new FileConversationStore(folder), again: () => new FileConversationStore(folder) };
  };
  for (const { name, run } of conversationStoreContract(make)) test(name, run);

  test.each(['a\ud800', '\udc00a'])('a tenant that UTF-8 cannot hold is refused: %j', async (tenant) => {
    const folder = tempFolder();
    const store = new FileConversationStore(folder);
    const key = { tenant, id: '00000000-0000-4000-8000-000000000000' };
    const calls = [
      ...[
        () => store.create({ ...key, createdAt: 1, updatedAt: 1 }),
        () => store.get(key),
        () => store.update(key, {}),
      ],
      ...[
        () => store.remove(key),
        () => store.acquire(key, 1),
        () => store.renew(key, 1, 1),
        () => store.release(key, 1),
      ],
      ...[() => store.list(tenant, { limit: 1 }), () => store.usage(tenant)],
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('well-formed') });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves no drafts, and nobody else may read', async () => {
    const folder = tempFolder();
    const store = new FileConversationStore(folder);
    const record = { tenant: '../../x', id: '00000000-0000-4000-8000-000000000000', createdAt: 1, updatedAt: 1 };
    await store.create(record);
    for (let turn = 1; turn <= 3; turn += 1) {
      const token = await store.acquire(record, 60_000);
      expect(token).toBe(turn);
      await store.renew(record, turn, 60_000);
      await store.update(record, { updatedAt: turn });
      await store.release(record, turn);
    }
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(names.map((name) => name.split('/').at(-1))).toEqual(
      expect.arrayContaining(['lease.3', 'record.json', record.id, 'index', '0']),
    );
    expect(names).toHaveLength(6);
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  test('a change that was checked in time, and put in place too late, finds its draft gone', async () => {
    const folder = tempFolder();
    const store = new FileConversationStore(folder);
    const record = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000000', createdAt: 1, updatedAt: 1 };
    await store.create(record);
    expect(await store.acquire(record, 1)).toBe(1);
    const names = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const place = dirname(join(folder, names().find((name) => name.endsWith('record.json')) ?? ''));
    writeFileSync(join(place, `draft.1.${record.id}`), JSON.stringify({ ...record, title: 'late' }));
    await expect.poll(() => store.acquire(record, 60_000)).toBe(2);
    expect(names().filter((name) => name.includes('draft'))).toEqual([]);
  });

  test.each(['null', '7', '{', '', '{}', '{"tenant":"ada"}', '[]'])(
    'a record that is %j is left out of the list, and says which file it is when it is asked for',
    async (text) => {
      const folder = tempFolder();
      const store = new FileConversationStore(folder);
      const [good, bad] = ['0', '1'].map((digit) => ({
        ...{ tenant: 'ada', id: `00000000-0000-4000-8000-00000000000${digit}`, createdAt: 1, updatedAt: 1 },
      })) as [ConversationRecord, ConversationRecord];
      await store.create(good);
      await store.create(bad);
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const file = join(folder, names.find((name) => name.endsWith(join(bad.id, 'record.json'))) ?? '');
      writeFileSync(file, text);
      expect(await store.list('ada', { limit: 10 })).toEqual([good]);
      const failure = { code: 'store_failed', message: expect.stringContaining(`${file} is no record`) };
      await expect(store.get(bad)).rejects.toMatchObject(failure);
      await expect(store.update(bad, { updatedAt: 2 })).rejects.toMatchObject(failure);
      await store.remove(bad);
      expect(await store.get(bad)).toBeUndefined();
    },
  );
});
