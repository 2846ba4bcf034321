import { writeFileSync } from 'node:fs';
import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import { faults } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { conversationFolder } from '../../src/stores/conversation-key.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { newGate } from '../helpers/gate.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey, SESSION, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** Stores, with the transcript that the real CLI would have written. */
async function parts() {
  const cwd = tempFolder();
  const sessionStore = new InMemorySessionStore();
  const project = { projectKey: projectKeyForDirectory(cwd), sessionId: SESSION };
  const uuid = '22222222-2222-4222-8222-222222222222';
  const message = { role: 'user', content: 'Go' };
  const entry = { type: 'user', uuid, parentUuid: null, sessionId: SESSION, cwd, timestamp: '2026-01-01', message };
  await sessionStore.append(project, [entry]);
  const stores = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog(), sessionStore };
  return { cwd, project, stores };
}

test('a removal that failed can be repeated, and then nothing is left', async () => {
  const { cwd, project, stores } = await parts();
  const host = hostOn(
    cliFor(({ turn }) => [turn('Yes.', 'Go')]),
    stores,
    cwd,
  );
  const key = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('completed');
  const { remove } = stores.eventLog;
  stores.eventLog.remove = async () => {
    stores.eventLog.remove = remove;
    throw new Error('connection reset');
  };
  await expect(host.remove(key)).rejects.toMatchObject({ code: 'store_failed' });
  expect((await host.list(key)).conversations.map(({ id }) => id)).toEqual([key.id]);
  await host.remove(key);
  expect(await host.list(key)).toEqual({ conversations: [] });
  expect(await stores.sessionStore.load(project)).toBeNull();
  expect((await stores.eventLog.read(key, 0, 9)).lastId).toBe(0);
});

test('the transcript of a first turn that crashed goes with its conversation', async () => {
  const { cwd, project, stores } = await parts();
  const host = hostOn(
    cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.crash({ exitCode: 1 })]),
    stores,
    cwd,
  );
  const key = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('crashed');
  expect((await stores.store.get(key))?.sessionId).toBeUndefined();
  await host.remove(key);
  expect(await stores.sessionStore.load(project)).toBeNull();
});

test('whoever has seen the end of a turn may remove the conversation at once', async () => {
  const { cwd, stores } = await parts();
  const host = hostOn(
    cliFor(({ turn }) => [turn('Yes.', 'Go')]),
    stores,
    cwd,
  );
  const key = await newKey(host);
  const { update } = stores.store;
  // Slow, so that the end is seen before it is stored.
  stores.store.update = async (...args) => {
    await new Promise((resolve) => setImmediate(resolve));
    await update.apply(stores.store, args);
  };
  const { eventId } = await host.send({ ...key, text: 'Go' });
  await turnOf(host, key, eventId);
  await host.remove(key);
  expect(await host.list(key)).toEqual({ conversations: [] });
});

test('a session store that never answers fails the message', async () => {
  const { cwd, stores } = await parts();
  const host = hostOn(
    cliFor(({ turn }) => [turn('Yes.', 'Go')]),
    { ...stores, limits: { storeMs: 200, idleMs: 1 } },
    cwd,
  );
  const key = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('completed');
  await expect.poll(() => host.metrics().processes).toBe(0);
  stores.sessionStore.load = () => new Promise(() => {});
  await expect(host.send({ ...key, text: 'Again' })).rejects.toMatchObject({ code: 'start_failed' });
  await expect(host.transcript(key)).rejects.toThrow('has not settled within 200 ms');
});

test.each([
  ['empty', ''],
  ['cut', '{"tenant":"ada","id'],
  ['no record', '[]'],
])('a conversation whose record is %s can be removed, with its transcript', async (_, text) => {
  const { cwd, project, stores } = await parts();
  const folder = tempFolder();
  const store = new FileConversationStore(folder);
  const host = hostOn(
    cliFor(({ turn }) => [turn('Yes.', 'Go')]),
    { ...stores, store },
    cwd,
  );
  const key = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('completed');
  writeFileSync(`${conversationFolder(folder, key)}/record.json`, text);
  await expect(host.send({ ...key, text: 'Again' })).rejects.toMatchObject({ code: 'store_failed' });
  await expect(host.remove({ ...key, tenant: 'bob' })).rejects.toMatchObject({ code: 'not_found' });
  await host.remove(key);
  await expect(host.remove(key)).rejects.toMatchObject({ code: 'not_found' });
  expect(await stores.sessionStore.load(project)).toBeNull();
});

test('viewers and the idle process of another host end with a conversation that is removed', async () => {
  const { cwd, stores } = await parts();
  const folder = tempFolder();
  const eventLog = (): FileEventLog => new FileEventLog(folder, { pollMs: 5 });
  const cli = cliFor(({ turn }) => [turn('Yes.', 'Go')]);
  const there = hostOn(cli, { ...stores, eventLog: eventLog() }, cwd);
  const key = await newKey(there);
  expect(await ask(there, key, 'Go')).toBe('completed');
  expect(there.metrics().processes).toBe(1);
  const seen = eventsUntil(there, key, () => false);
  const meter = await there.events({ ...key, after: 1, isPassive: true });
  await hostOn(cliFor(NONE), { ...stores, eventLog: eventLog() }, cwd).remove(key);
  expect((await seen).at(-1)?.event.type).toBe('turn_ended');
  for await (const { id } of meter) expect(id).toBeGreaterThan(1);
  await expect.poll(() => there.metrics()).toMatchObject({ processes: 0, viewers: 0, conversations: { idle: 0 } });
});

test('a viewer of a conversation without an event ends with it', async () => {
  const { cwd, stores } = await parts();
  const limits = { leaseMs: 20 };
  const there = hostOn(cliFor(NONE), { ...stores, limits }, cwd);
  const key = await newKey(there);
  const seen = eventsUntil(there, key, () => false);
  await expect.poll(() => there.metrics().viewers).toBe(1);
  await hostOn(cliFor(NONE), stores, cwd).remove(key);
  expect(await seen).toEqual([]);
});

test('a conversation in which Claude Code opens a turn by itself is not removed, and nobody waits for its end', async () => {
  const { cwd, stores } = await parts();
  const cli = cliFor(({ turn, init }) => [turn('One.', 'Go'), init(), faults.stall()]);
  const host = hostOn(cli, { ...stores, limits: { interruptMs: 1 } }, cwd);
  const key = await newKey(host);
  const gate = newGate();
  const { acquire } = stores.store;
  let leases = 0;
  stores.store.acquire = async (...args) => {
    leases += 1;
    if (leases === 2) await gate.pass();
    return await acquire.apply(stores.store, args);
  };
  expect(await ask(host, key, 'Go')).toBe('completed');
  await gate.reached;
  expect(host.metrics().conversations.starting).toBe(1);
  await expect(host.remove(key)).rejects.toMatchObject({ code: 'conflict' });
  gate.open();
});

test('a removal waits for the end of a lost turn that is being stored', async () => {
  const { cwd, stores } = await parts();
  const host = hostOn(cliFor(NONE), stores, cwd);
  const key = await newKey(host);
  await stores.eventLog.append(key, [{ type: 'user_message', text: 'Go' }]);
  const gate = newGate();
  const { append } = stores.eventLog;
  stores.eventLog.append = async (...args) => {
    await gate.pass();
    return await append.apply(stores.eventLog, args);
  };
  const seen = eventsUntil(host, key, () => false);
  await gate.reached;
  const removed = host.remove(key);
  gate.open();
  await removed;
  expect(await host.list(key)).toEqual({ conversations: [] });
  await seen;
});
