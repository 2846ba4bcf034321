import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import { expect, test } from 'vitest';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { guardedStore } from '../../src/host/guarded-store.js';
import { resolveLimits } from '../../src/host/limits.js';
import { StoredBytes } from '../../src/host/stored-bytes.js';
import { createHandler } from '../../src/http/handler.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { described } from '../helpers/described.js';
import { ask, cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

test('a conversation above the limit is refused, says why, and can be created once another one is removed', async () => {
  const host = hostOn(cliFor(NONE), { limits: { conversationsPerTenant: 2 } });
  const [first] = [await newKey(host), await newKey(host), await newKey(host, 'bob')];
  const failure = {
    code: 'limit_reached',
    message: expect.stringMatching(/has 2 conversations.*conversationsPerTenant` is 2.*Delete conversations/),
  };
  await expect(host.create({ tenant: 'ada' })).rejects.toMatchObject(failure);
  await host.remove(first);
  await newKey(host);
  await expect(host.create({ tenant: 'ada' })).rejects.toMatchObject(failure);
});

test('of many that are created at once on several hosts as many are made as may be', async () => {
  const store = new InMemoryConversationStore();
  const hosts = [1, 2].map(() => hostOn(cliFor(NONE), { store, limits: { conversationsPerTenant: 10 } }));
  const made = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => hosts[index % 2]!.create({ tenant: 'ada' })),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(await store.usage('ada')).toEqual({ conversations: 10, bytes: 0 });
});

/** A host on a store that two tenants share, with a script of turns that say `Yes.` */
function hostOfTurns(count: number, storedBytesPerTenant: number, store = new InMemoryConversationStore()) {
  const cli = cliFor(({ process, turn }) => Array.from({ length: count }, () => [process(), turn('Yes.')]));
  const eventLog = new InMemoryEventLog();
  return { store, eventLog, host: hostOn(cli, { store, eventLog, limits: { storedBytesPerTenant } }) };
}

test('each turn adds the bytes of its events to the record, and a removal frees them', async () => {
  const cli = cliFor(({ process, turn }) => [[process(), turn('Yes.', 'One'), turn('Yes.', 'Two')]]);
  const [store, eventLog] = [new InMemoryConversationStore(), new InMemoryEventLog()];
  const host = hostOn(cli, { store, eventLog });
  const key = await newKey(host);
  for (const text of ['One', 'Two']) {
    expect(await ask(host, key, text)).toBe('completed');
    await expect.poll(() => host.metrics().conversations.idle).toBe(1);
    const { events } = await eventLog.read(key, 0, 1_000);
    const bytes = events.reduce((sum, { event }) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
    expect((await store.get(key))?.bytes).toBe(bytes);
    expect(await store.usage('ada')).toEqual({ conversations: 1, bytes });
  }
  await host.remove(key);
  expect(await store.usage('ada')).toEqual({ conversations: 0, bytes: 0 });
});

test('a message above the limit of bytes is refused and not sent, until a conversation is removed', async () => {
  const { store, host, eventLog } = hostOfTurns(2, 500);
  const [full, other, bobs] = [await newKey(host), await newKey(host), await newKey(host, 'bob')];
  await store.update(full, { bytes: 500 });
  const failure = {
    code: 'limit_reached',
    message: expect.stringMatching(/take 500 bytes.*storedBytesPerTenant` is 500.*Delete conversations/),
  };
  await expect(host.send({ ...other, text: 'Hi' })).rejects.toMatchObject(failure);
  expect((await eventLog.read(other, 0, 9)).lastId).toBe(0);
  expect(host.metrics().started).toBe(0);
  expect(await ask(host, bobs, 'Hi')).toBe('completed');
  await host.remove(full);
  expect(await ask(host, other, 'Hi')).toBe('completed');
});

test('another host goes on counting where the first one stopped', async () => {
  const { store, host } = hostOfTurns(1, 0);
  const key = await newKey(host);
  await store.update(key, { bytes: 1_000_000 });
  await ask(host, key, 'Hi');
  await host.close();
  expect((await store.get(key))?.bytes).toBeGreaterThan(1_000_100);
});

test('entries of a transcript are counted when they are stored, and the store is the same otherwise', async () => {
  const sessionStore = new InMemorySessionStore();
  const stored = new StoredBytes();
  let isOurs = true;
  const guard = async (append: () => Promise<void>): Promise<boolean> => {
    if (isOurs) await append();
    return isOurs;
  };
  const heard = guardedStore(sessionStore, guard, (entries) => stored.add(entries));
  const key = { projectKey: projectKeyForDirectory(tempFolder()), sessionId: '11111111-1111-4111-8111-111111111111' };
  await heard.append(key, [{ type: 'user', text: 'ä' }]);
  expect(stored.total).toBe(Buffer.byteLength('[{"type":"user","text":"ä"}]'));
  expect(await heard.load(key)).toEqual(await sessionStore.load(key));
  isOurs = false;
  await heard.append(key, [{ type: 'user', text: 'late' }]);
  expect(await sessionStore.load(key)).toHaveLength(1);
  isOurs = true;
  sessionStore.append = () => Promise.reject(new Error('down'));
  await expect(heard.append(key, [{ type: 'user' }])).rejects.toThrow('down');
  stored.add(1n);
  expect(stored.total).toBe(29);
});

test('over HTTP both are 403, with a problem that says which limit it is', async () => {
  const store = new InMemoryConversationStore();
  const host = hostOn(cliFor(NONE), { store, limits: { conversationsPerTenant: 1, storedBytesPerTenant: 1 } });
  const key = await newKey(host);
  await store.update(key, { bytes: 1 });
  const handler = described(createHandler({ host, authenticate: () => 'ada' }));
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await handler(new Request(`http://localhost${path}`, request));
    return { status: response.status, body: await response.json() };
  };
  for (const [path, limit] of [
    ['/conversations', 'conversationsPerTenant'],
    [`/conversations/${key.id}/messages`, 'storedBytesPerTenant'],
  ] as const) {
    const body = { code: 'limit_reached', detail: expect.stringContaining(limit) };
    expect(await post(path, path.endsWith('messages') ? { text: 'Hi' } : {})).toMatchObject({ status: 403, body });
  }
});

test.each([-1, 1.5, Number.NaN, '1', null, 2 ** 53])('a limit that is %j is refused', (value) => {
  for (const name of ['conversationsPerTenant', 'storedBytesPerTenant']) {
    expect(() => resolveLimits({ [name]: value } as object)).toThrow(name);
  }
  expect(resolveLimits({ storedBytesPerTenant: 2 ** 40 }).storedBytesPerTenant).toBe(2 ** 40);
});
