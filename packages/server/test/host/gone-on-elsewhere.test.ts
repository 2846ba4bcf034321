import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import { expect, test } from 'vitest';
import type { EventLog } from '../../src/events/event-log.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { sharedStores } from '../helpers/approvals.js';
import { newGate } from '../helpers/gate.js';
import { ask, cliFor, hostOn, NONE, newKey, SESSION } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

type Kit = Parameters<Extract<Parameters<typeof cliFor>[0], (...args: never[]) => unknown>>[0];
const FRAME = { task_id: 'b1', run_id: 'r1', task_type: 'local_bash', description: 'Builds' };
const leaving = ({ prompt, init, systemMessage, result }: Kit) => [
  ...[prompt('Build'), init(), systemMessage('background_tasks_changed', { tasks: [FRAME] }), result('It runs.')],
];
/** As the CLI says what it has stored. */
const mirror = (home: string, uuid: string) => ({
  type: 'transcript_mirror',
  filePath: `${home}/projects/p/${SESSION}.jsonl`,
  entries: [{ type: 'user', uuid, sessionId: SESSION, message: { role: 'user', content: uuid } }],
});

/** Logs of two hosts that share what is stored. */
const LOGS: readonly (readonly [string, () => readonly [EventLog, EventLog]])[] = [
  [
    'in memory',
    () => {
      const log = new InMemoryEventLog();
      return [log, log];
    },
  ],
  [
    'in files',
    () => {
      const folder = tempFolder();
      return [new FileEventLog(folder, { pollMs: 20 }), new FileEventLog(folder, { pollMs: 20 })];
    },
  ],
];

/** A host that keeps a process in which a task runs, and what another host has to share with it. */
async function keepingHost(logs: () => readonly [EventLog, EventLog]) {
  const { cwd, options } = await sharedStores();
  const { approvals: _, ...rest } = options;
  const [here, there] = logs();
  const cli = cliFor((kit) => [kit.process(), ...leaving(kit)]);
  const one = hostOn(cli, { ...rest, eventLog: here }, cwd);
  const key = await newKey(one);
  await ask(one, key, 'Build');
  await expect.poll(() => one.metrics()).toMatchObject({ processes: 1, kept: 1 });
  return { one, key, cwd, others: { ...rest, eventLog: there } };
}

for (const [name, logs] of LOGS) {
  test(`a process that waits ends when another host goes on, although nobody looks: logs ${name}`, async () => {
    const { one, key, cwd, others } = await keepingHost(logs);
    const two = hostOn(
      cliFor((kit) => [kit.turn('Hi.', 'Hello')]),
      others,
      cwd,
    );
    expect(await ask(two, key, 'Hello')).toBe('completed');
    await expect.poll(() => one.metrics()).toMatchObject({ processes: 0, kept: 0 });
    expect((await one.get(key)).tasks).toBeUndefined();
  });

  test(`a process that waits ends with a conversation that another host removes: logs ${name}`, async () => {
    const { one, key, cwd, others } = await keepingHost(logs);
    await hostOn(cliFor(NONE), others, cwd).remove(key);
    await expect.poll(() => one.metrics()).toMatchObject({ processes: 0, kept: 0 });
    expect(await others.sessionStore?.load({ projectKey: projectKeyForDirectory(cwd), sessionId: SESSION })).toBeNull();
  });
}

test.each([
  ['is stored', false],
  ['is not stored after another host has gone on, which this one has not heard of', true],
])('what a process says between turns %s', async (_, isTaken) => {
  const { cwd, options } = await sharedStores();
  const { approvals: _approvals, ...rest } = options;
  const one = hostOn(
    cliFor((kit) => [
      ...[...leaving(kit), kit.expectRequest('stop_task', { task_id: 'b1' }), mirror(`${cwd}/ada`, 'said-later')],
      kit.systemMessage('background_tasks_changed', { tasks: [] }),
    ]),
    { ...rest, eventLog: new InMemoryEventLog() },
    cwd,
  );
  const key = await newKey(one);
  await ask(one, key, 'Build');
  if (isTaken) {
    const cli = cliFor((kit) => [kit.turn('Hi.', 'Hello')]);
    const two = hostOn(cli, { ...rest, eventLog: new InMemoryEventLog() }, cwd);
    expect(await ask(two, key, 'Hello')).toBe('completed');
  }
  await one.stopTask({ ...key, taskId: 'b1' });
  await expect.poll(() => one.metrics().kept).toBe(0);
  await one.close();
  const stored = await rest.sessionStore?.load({ projectKey: 'p', sessionId: SESSION });
  expect(JSON.stringify(stored).includes('said-later')).toBe(!isTaken);
});

test('a turn that Claude Code opens after another host has gone on is none', async () => {
  const { cwd, options } = await sharedStores();
  const { approvals: _, ...rest } = options;
  const eventLog = new InMemoryEventLog();
  const one = hostOn(
    cliFor((kit) => [
      ...[...leaving(kit), kit.expectRequest('stop_task', { task_id: 'b1' }), mirror(`${cwd}/ada`, 'notice')],
      ...[kit.init(), mirror(`${cwd}/ada`, 'own turn')],
    ]),
    { ...rest, eventLog: new InMemoryEventLog() },
    cwd,
  );
  const two = hostOn(
    cliFor((kit) => [kit.turn('Hi.', 'Hello')]),
    { ...rest, eventLog },
    cwd,
  );
  const key = await newKey(one);
  await ask(one, key, 'Build');
  await ask(two, key, 'Hello');
  const before = (await eventLog.read(key, 0, 0)).lastId;
  await one.stopTask({ ...key, taskId: 'b1' }).catch(() => {});
  await expect.poll(() => one.metrics().processes).toBe(0);
  expect((await eventLog.read(key, 0, 0)).lastId).toBe(before);
  expect(await rest.sessionStore?.load({ projectKey: 'p', sessionId: SESSION })).toBeNull();
});

test.each(['memory', 'files'])(
  'what was on its way to a log in %s when another host removed the conversation goes too',
  async (kind) => {
    const cwd = tempFolder();
    const shared = { store: new InMemoryConversationStore(), sessionStore: new InMemorySessionStore() };
    const inMemory = new InMemoryEventLog();
    const logOf = (): EventLog => (kind === 'memory' ? inMemory : new FileEventLog(`${cwd}/events`));
    const [log, gate] = [logOf(), newGate()];
    const eventLog: EventLog = {
      read: (...args) => log.read(...args),
      remove: (...args) => log.remove(...args),
      append: async (key, events, token) => {
        if (events.some(({ type }) => type === 'turn_ended')) await gate.pass();
        return await log.append(key, events, token);
      },
    };
    // As of a host that stands still: its lease passes at once, and it does not hear of it.
    const { store } = shared;
    const still = {
      ...{ create: store.create.bind(store), get: store.get.bind(store), update: store.update.bind(store) },
      ...{ list: store.list.bind(store), usage: store.usage.bind(store), remove: store.remove.bind(store) },
      ...{ release: store.release.bind(store), renew: async () => true },
      acquire: (key: Parameters<typeof store.acquire>[0]) => store.acquire(key, 1),
    };
    const one = hostOn(
      cliFor((kit) => [kit.turn('A secret.', 'Hi')]),
      { ...shared, store: still, eventLog },
      cwd,
    );
    const key = await newKey(one);
    await one.send({ ...key, text: 'Hi' });
    await gate.reached;
    await hostOn(cliFor(NONE), { ...shared, eventLog: logOf() }, cwd).remove(key);
    gate.open();
    await one.close();
    await expect.poll(async () => (await logOf().read(key, 0, 0)).lastId).toBe(0);
    expect(existsSync(`${cwd}/events/ada`)).toBe(false);
  },
);

test('a conversation is removed with what Claude Code has written about it in the home of the tenant', async () => {
  const { cwd, options } = await sharedStores();
  const { approvals: _, ...rest } = options;
  const host = hostOn(
    cliFor((kit) => [kit.turn('Yes.', 'Go')]),
    rest,
    cwd,
  );
  const key = await newKey(host);
  await ask(host, key, 'Go');
  const other = '33333333-3333-4333-8333-333333333333';
  const [projects, env] = [join(cwd, 'ada', 'projects', '-work'), join(cwd, 'ada', 'session-env')];
  for (const id of [SESSION, other]) {
    mkdirSync(join(projects, id, 'subagents'), { recursive: true });
    mkdirSync(join(env, id), { recursive: true });
    writeFileSync(join(projects, `${id}.jsonl`), '{}\n');
  }
  await host.remove(key);
  const left = [`${SESSION}.jsonl`, SESSION, `${other}.jsonl`, other].filter((each) =>
    existsSync(join(projects, each)),
  );
  expect(left).toEqual([`${other}.jsonl`, other]);
  expect([SESSION, other].filter((each) => existsSync(join(env, each)))).toEqual([other]);
});
