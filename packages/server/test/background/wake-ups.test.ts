import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faults, type Script } from 'claudewire/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { InMemoryWakeUpStore } from '../../src/background/memory-wake-up-store.js';
import { afterFiring, type WakeUp, wakeUpOf } from '../../src/background/wake-up.js';
import type { WakeUpStore } from '../../src/background/wake-up-store.js';
import type { SessionHost } from '../../src/host/session-host.js';
import { wakeUpStoreContract } from '../../src/testing.js';
import { CALL, deferring, RESUMED, type Shared, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

const WAKE_UP: WakeUp = {
  ...{ wakeUpId: 'w1', prompt: 'Check the deploy.', schedule: '34 13 * * *', recurring: false },
  ...{ dueAt: 1_000, fireAt: 1_000 },
};
const LIMITS = { wakeUpMs: 20, idleMs: 0 };
const NOON = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('InMemoryWakeUpStore', () => {
  const make = () => {
    const store = new InMemoryWakeUpStore();
    return { store, again: () => store };
  };
  for (const { name, run } of wakeUpStoreContract(make)) test(name, run);
});

test('the memory store does not grow with conversations that have no wake-ups', async () => {
  const store = new InMemoryWakeUpStore();
  const keys = Array.from({ length: 10_001 }, () => ({ tenant: 'ada', id: randomUUID() }));
  for (const key of keys) await store.set(key, [], 2);
  const [oldest, next] = keys;
  if (oldest === undefined || next === undefined) throw new Error('no keys');
  await store.set(oldest, [], 1);
  await expect(store.set(keys.at(-1) ?? next, [], 1)).rejects.toMatchObject({ code: 'conflict' });
});

describe('FileWakeUpStore', () => {
  const make = () => {
    const folder = tempFolder();
    return { store: new FileWakeUpStore(folder), again: () => new FileWakeUpStore(folder) };
  };
  for (const { name, run } of wakeUpStoreContract(make)) test(name, run);

  test.each(['', 'null', '{}', '{"tenant":"ada","id":"../x"}'])(
    'a file that is %j takes no place of what can be sent',
    async (text) => {
      const folder = tempFolder();
      const store = new FileWakeUpStore(folder);
      const [bad, good] = [randomUUID(), randomUUID()].map((id) => ({ tenant: 'ada', id }));
      if (bad === undefined || good === undefined) throw new Error('no keys');
      await store.set(bad, [{ ...WAKE_UP, fireAt: 1 }]);
      const [file = ''] = filesIn(folder);
      writeFileSync(file, text);
      await store.set(good, [{ ...WAKE_UP, fireAt: 2 }]);
      expect(await store.due(5, 1)).toEqual([good]);
    },
  );

  test('what is kept for its token alone goes after a day', async () => {
    const folder = tempFolder();
    const store = new FileWakeUpStore(folder);
    const [old, young, waiting] = [1, 2, 3].map(() => ({ tenant: 'ada', id: randomUUID() }));
    if (old === undefined || young === undefined || waiting === undefined) throw new Error('no keys');
    await store.set(old, [], 2);
    await store.set(waiting, [{ ...WAKE_UP, fireAt: 9 }], 2);
    const dayAgo = Date.now() / 1_000 - 86_401;
    for (const file of filesIn(folder)) utimesSync(file, dayAgo, dayAgo);
    // As of a host that was killed before it removed the file of the token before.
    const [empty = ''] = filesIn(folder).filter((file) => file.includes('9007199254740991'));
    const left = empty.replace('9007199254740991', '0000000000000001').replace('.2.json', '.1.json');
    writeFileSync(left, JSON.stringify({ ...old, wakeUps: [{ ...WAKE_UP, fireAt: 1 }] }));
    await store.set(young, [], 2);
    expect(await store.due(5, 9)).toEqual([]);
    expect(filesIn(folder)).toHaveLength(2);
    expect(await store.due(5, 9)).toEqual([]);
    await expect(store.set(young, [WAKE_UP], 1)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.due(9, 9)).toEqual([waiting]);
  });
});

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}

/** A CLI that never answers. */
const deaf = () => spawn(process.execPath, ['-e', 'process.stdin.resume()']);

describe('V-2: a due prompt', () => {
  test('whose process never starts keeps no host from ending', async () => {
    const { wakeUps, options } = await shared();
    const { approvals: _, ...rest } = options;
    const optionsFor = () => ({ spawnClaudeCodeProcess: deaf, env: { CLAUDE_CONFIG_DIR: tempFolder() } });
    const host = hostOn(cliFor(NONE), { ...rest, optionsFor, limits: { ...LIMITS, interruptMs: 1 } });
    const key = await newKey(host);
    await wakeUps.set(key, [WAKE_UP]);
    await expect.poll(() => host.metrics().processes).toBe(1);
    // It would take the 60 s that a process has to start, which is longer than this test may.
    await host.drain({ graceMs: 0 });
    expect(host.metrics().processes).toBe(0);
    expect(await wakeUps.get(key)).toEqual([WAKE_UP]);
  });

  test('whose process never starts holds up no other tenant', async () => {
    const { wakeUps, cwd, options } = await shared();
    const { approvals: _, ...rest } = options;
    const cli = cliFor((kit) => [kit.process(), kit.turn('Fine.', WAKE_UP.prompt)]);
    const optionsFor = (tenant: string) => ({
      ...(tenant === 'eve' ? { spawnClaudeCodeProcess: deaf } : cli.options),
      env: { CLAUDE_CONFIG_DIR: join(cwd, tenant) },
    });
    const host = hostOn(cli, { ...rest, optionsFor, limits: { ...LIMITS, interruptMs: 1 } });
    const [eve, ada] = [await newKey(host, 'eve'), await newKey(host, 'ada')];
    await wakeUps.set(eve, [WAKE_UP]);
    await expect.poll(() => host.metrics().processes).toBe(1);
    await wakeUps.set(ada, [{ ...WAKE_UP, fireAt: 2_000 }]);
    await expect.poll(() => wakeUps.get(ada)).toEqual([]);
    expect(await wakeUps.get(eve)).toEqual([WAKE_UP]);
  });

  test('is sent behind a thousand of another tenant that cannot be', async () => {
    const { wakeUps, cwd, options } = await shared();
    const { approvals: _, ...rest } = options;
    const cli = cliFor((kit) => [kit.process(), kit.turn('Fine.', WAKE_UP.prompt)]);
    const host = hostOn(cli, { ...rest, limits: { ...LIMITS, storedBytesPerTenant: 100 } }, cwd);
    const ada = await newKey(host, 'ada');
    for (let count = 0; count < 1_000; count += 1) {
      const eve = await newKey(host, 'eve');
      await rest.store?.update(eve, { bytes: 200 });
      await wakeUps.set(eve, [WAKE_UP]);
    }
    await wakeUps.set(ada, [{ ...WAKE_UP, fireAt: 2_000 }]);
    await expect.poll(() => wakeUps.get(ada)).toEqual([]);
    expect(await wakeUps.due(5_000, 2_000)).toHaveLength(1_000);
  });
});

test.each([
  ['5 12 * * *', false, 5, 6],
  ['*/10 * * * *', true, 10, 26],
] as const)('a process may be late with %s before a host sends it', (schedule, recurring, dueMin, fireMin) => {
  const found = wakeUpOf({ id: 'a', schedule, recurring, prompt: 'p' }, NOON + 1, 'UTC');
  expect(found).toMatchObject({ dueAt: NOON + dueMin * 60_000, fireAt: NOON + fireMin * 60_000 });
});

test('a schedule is read in the time zone of the process', () => {
  const found = wakeUpOf({ id: 'a', schedule: '0 15 * * *', recurring: false, prompt: 'p' }, NOON, 'Asia/Tokyo');
  // 15 o'clock in Tokyo is 6 o'clock in London, the next day.
  expect(found?.dueAt).toBe(Date.UTC(2026, 0, 2, 6));
});

test.each(['no cron', '99 * * * *', ''])('a schedule that cannot be read is left to the process: %j', (schedule) => {
  expect(wakeUpOf({ id: 'a', schedule, recurring: true, prompt: 'p' }, NOON)).toBeUndefined();
});

test('what was sent is gone, or due again', () => {
  expect(afterFiring(WAKE_UP, NOON)).toBeUndefined();
  const again = afterFiring({ ...WAKE_UP, schedule: '0 * * * *', recurring: true }, NOON + 1, 'UTC');
  expect(again).toMatchObject({ dueAt: NOON + 3_600_000, fireAt: NOON + 3_600_000 });
});

interface Two extends Shared {
  readonly wakeUps: WakeUpStore;
}

async function shared(): Promise<Two> {
  const parts = await sharedStores();
  const wakeUps = new InMemoryWakeUpStore();
  return { ...parts, wakeUps, options: { ...parts.options, wakeUps, limits: LIMITS } };
}

function hostsOn(script: Script, { cwd, options }: Shared, count = 1): SessionHost[] {
  const cli = cliFor(script);
  return Array.from({ length: count }, () => hostOn(cli, options, cwd));
}

/** A conversation that has had a turn. */
async function conversation(host: SessionHost) {
  const key = await newKey(host);
  expect(await ask(host, key, 'Deploy')).toBe('completed');
  return key;
}

describe('V-2: a prompt that is due', () => {
  test('opens a turn of its own, on one of several hosts, once', async () => {
    const parts = await shared();
    const [one, two] = hostsOn(
      (kit) => [
        [kit.process(), kit.turn('Hi.', 'Deploy')],
        [kit.process({ argv: { '--resume': RESUMED.argv['--resume'] } }), kit.turn('Fine.', 'Check the deploy.')],
      ],
      parts,
      2,
    ) as [SessionHost, SessionHost];
    const key = await conversation(one);
    await expect.poll(() => one.metrics().processes).toBe(0);
    await parts.wakeUps.set(key, [WAKE_UP]);
    // Whichever host it is.
    const events = async () =>
      (await parts.options.eventLog?.read(key, 0, 100))?.events.map(({ event }) => event) ?? [];
    const ends = async () => (await events()).flatMap((event) => (event.type === 'turn_ended' ? [event.outcome] : []));
    await expect.poll(ends).toEqual(['completed', 'completed']);
    const wakeUps = (await events()).filter(({ type }) => type === 'wake_up');
    expect(wakeUps).toEqual([{ type: 'wake_up', wakeUpId: 'w1', prompt: 'Check the deploy.' }]);
    expect(await parts.wakeUps.get(key)).toEqual([]);
    expect((await one.get(key)).wakeUps).toBeUndefined();
    expect(one.metrics().started + two.metrics().started).toBe(2);
  });

  test('waits for a call that waits for a decision', async () => {
    const parts = await shared();
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], parts) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('deferred');
    let looks = 0;
    const { due } = parts.wakeUps;
    parts.wakeUps.due = async (...args) => {
      looks += 1;
      return await due.apply(parts.wakeUps, args);
    };
    await parts.wakeUps.set(key, [WAKE_UP]);
    await expect.poll(() => looks).toBeGreaterThan(2);
    expect((await host.approvals(key)).map(({ state, toolUseId }) => [state, toolUseId])).toEqual([
      ['open', CALL.tool_use_id],
    ]);
    expect(await parts.wakeUps.get(key)).toEqual([WAKE_UP]);
  });

  test('closes what has expired', async () => {
    const parts = await shared();
    const approvals = { ...parts.options.approvals, expiresMs: 1 } as typeof parts.options.approvals;
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [kit.process(RESUMED), kit.turn('Fine.', 'Check the deploy.')],
      ],
      { ...parts, options: { ...parts.options, ...(approvals === undefined ? {} : { approvals }) } },
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('deferred');
    await parts.wakeUps.set(key, [WAKE_UP]);
    await expect.poll(() => parts.wakeUps.get(key)).toEqual([]);
    expect((await parts.approvals.list(key)).map(({ state }) => state)).toEqual(['expired']);
  });

  test('whose process does not start is tried again, and the operator is told why', async () => {
    const parts = await shared();
    const crashes: unknown[] = [];
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), kit.turn('Hi.', 'Deploy')],
        [kit.process(), faults.refuse()],
        [kit.process(), kit.turn('Fine.', 'Check the deploy.')],
      ],
      { ...parts, options: { ...parts.options, onCrash: (_, error) => void crashes.push(error) } },
    ) as [SessionHost];
    const key = await conversation(host);
    await expect.poll(() => host.metrics().processes).toBe(0);
    await parts.wakeUps.set(key, [WAKE_UP]);
    await expect.poll(() => parts.wakeUps.get(key)).toEqual([]);
    expect(crashes).toMatchObject([{ code: 'start_failed' }]);
  });

  test('of a conversation that is gone is forgotten', async () => {
    const parts = await shared();
    const [host] = hostsOn((kit) => [kit.process(), kit.turn('Hi.', 'Deploy')], parts) as [SessionHost];
    const key = await conversation(host);
    await host.remove(key);
    await parts.wakeUps.set(key, [WAKE_UP]);
    await expect.poll(() => parts.wakeUps.get(key)).toEqual([]);
  });

  test('is told to whoever looks, and is handed over when its process goes', async () => {
    const parts = await shared();
    const crons = [{ id: 'w2', schedule: '0 0 1 1 *', recurring: true, prompt: 'A new year' }];
    const [host] = hostsOn(
      (kit) => [
        ...[kit.process(), kit.prompt('Deploy'), kit.init()],
        kit.hook('Stop', { stop_hook_active: false, background_tasks: [], session_crons: crons }),
        kit.result('Hi.'),
      ],
      { ...parts, options: { ...parts.options, limits: { idleMs: 60_000 } } },
    ) as [SessionHost];
    const key = await conversation(host);
    const [held] = await parts.wakeUps.get(key);
    expect(held).toMatchObject({ wakeUpId: 'w2', prompt: 'A new year', recurring: true });
    expect(held?.fireAt).toBeGreaterThan(held?.dueAt ?? 0);
    const { wakeUps } = await host.get(key);
    expect(wakeUps).toEqual([{ wakeUpId: 'w2', prompt: 'A new year', recurring: true, dueAt: held?.dueAt }]);
    await host.drain({ graceMs: 0 });
    expect(await parts.wakeUps.get(key)).toEqual([{ ...held, fireAt: held?.dueAt }]);
  });

  test('is told of when the process sends it', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: NOON - 1_000 });
    const parts = await shared();
    const task = { task_id: 'b1', task_type: 'local_bash', description: 'Builds' };
    const crons = [{ id: 'w2', schedule: '0 12 * * *', recurring: false, prompt: 'Check the deploy.' }];
    const [host] = hostsOn(
      (kit) => [
        ...[kit.process(), kit.prompt('Deploy'), kit.init()],
        kit.systemMessage('background_tasks_changed', { tasks: [task] }),
        kit.hook('Stop', { stop_hook_active: false, background_tasks: [], session_crons: crons }),
        ...[kit.result('Hi.'), kit.expectRequest('stop_task', { task_id: 'b1' })],
        ...[kit.systemMessage('background_tasks_changed', { tasks: [] }), kit.init(), kit.result('Fine.')],
      ],
      { ...parts, options: { ...parts.options, limits: { idleMs: 60_000 } } },
    ) as [SessionHost];
    const key = await conversation(host);
    vi.setSystemTime(Math.max(NOON, (await parts.wakeUps.get(key))[0]?.dueAt ?? 0));
    await host.stopTask({ ...key, taskId: 'b1' });
    const types = async () =>
      (await parts.options.eventLog?.read(key, 0, 100))?.events.map(({ event: { type } }) => type) ?? [];
    const own = ['wake_up', 'message', 'message', 'background', 'turn_ended'];
    await expect.poll(async () => (await types()).slice(-own.length)).toEqual(own);
    expect(await parts.wakeUps.get(key)).toEqual([]);
  });
});
