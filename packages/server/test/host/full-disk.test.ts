import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileSessionStore, projectKeyForDirectory } from 'claudewire';
import { afterEach, expect, test, vi } from 'vitest';
import { FileApprovalStore } from '../../src/approvals/file-approval-store.js';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { disk } from '../helpers/full-disk.js';
import { ask, cliFor, hostOn, newKey, SESSION } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

vi.mock('node:fs/promises', async (original) => {
  const { onFullDisk } = await import('../helpers/full-disk.js');
  return onFullDisk(await original());
});

afterEach(() => {
  disk.isFull = false;
});

/** Stores in files, with the transcript that the real CLI would have written. */
async function fileStores() {
  const [cwd, data] = [tempFolder(), tempFolder()];
  const stores = {
    store: new FileConversationStore(join(data, 'conversations')),
    sessionStore: new FileSessionStore(join(data, 'sessions')),
    eventLog: new FileEventLog(join(data, 'events')),
    wakeUps: new FileWakeUpStore(join(data, 'wake-ups')),
    approvals: {
      store: new FileApprovalStore(join(data, 'approvals')),
      keys: [{ id: 'k', secret: Buffer.alloc(32, 1) }],
      needsApproval: () => false,
    },
  };
  const session = { projectKey: projectKeyForDirectory(cwd), sessionId: SESSION };
  const message = { role: 'user', content: 'Go' };
  const uuid = '22222222-2222-4222-8222-222222222222';
  await stores.sessionStore.append(session, [
    { type: 'user', uuid, parentUuid: null, sessionId: SESSION, cwd, timestamp: '2026-01-01', message },
  ]);
  return { cwd, data, session, stores };
}

test('a conversation is removed from a full disk, and everything of it is gone', async () => {
  const { cwd, data, session, stores } = await fileStores();
  const host = hostOn(
    cliFor(({ turn }) => [turn('Yes.', 'Go')]),
    stores,
    cwd,
  );
  const key = await newKey(host);
  const other = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('completed');
  disk.isFull = true;
  await expect(host.create({ tenant: 'ada' })).rejects.toMatchObject({ code: 'store_failed' });
  await host.remove(key);
  await expect(host.get(key)).rejects.toMatchObject({ code: 'not_found' });
  expect((await host.list(key)).conversations.map(({ id }) => id)).toEqual([other.id]);
  expect(await stores.sessionStore.load(session)).toBeNull();
  const left = readdirSync(data, { recursive: true, encoding: 'utf8' });
  expect(left.filter((path) => path.includes(key.id) || /draft|removed/.test(path))).toEqual([]);
  disk.isFull = false;
  expect(await newKey(host)).toMatchObject({ tenant: 'ada' });
});

test('a lease that is taken on a full disk is one: nobody else has it, it is renewed, and it passes', async () => {
  const folder = tempFolder();
  const [store, other] = [new FileConversationStore(folder), new FileConversationStore(folder)];
  const key = { tenant: 'ada', id: '00000000-0000-4000-8000-000000000000' };
  await store.create({ ...key, createdAt: 1, updatedAt: 1 });
  disk.isFull = true;
  expect(await Promise.all([store.acquire(key, 60_000), other.acquire(key, 60_000)])).toContain(1);
  expect(await other.acquire(key, 60_000)).toBeUndefined();
  expect(await other.renew(key, 1, 60_000)).toBe(true);
  await store.release(key, 1);
  expect(await other.acquire(key, 0)).toBe(2);
  expect(await other.renew(key, 2, 60_000)).toBe(false);
  disk.isFull = false;
  expect(await store.acquire(key, 60_000)).toBe(3);
  disk.isFull = true;
  expect(await store.renew(key, 3, 60_000)).toBe(true);
  expect(await other.acquire(key, 60_000)).toBeUndefined();
});
