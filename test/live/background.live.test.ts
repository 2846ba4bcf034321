import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  type ConversationEvent,
  createSessionHost,
  type HostLimits,
  InMemoryApprovalStore,
  InMemoryConversationStore,
  InMemoryEventLog,
  InMemoryWakeUpStore,
  type SessionHost,
  type SessionHostOptions,
  type TenantOptions,
} from '../../packages/server/src/index.js';
import { InMemorySessionStore } from '../../src/index.js';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';
import { call } from './support/turns.js';

const hosts: SessionHost[] = [];

// Before the stage looks for processes that were left behind.
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

/** A stage, and hosts with the same stores. */
async function hostsOn(turns: MessagesApiOptions['turns'], approvals?: SessionHostOptions['approvals']) {
  const stage = await setStage(CURRENT, { turns });
  const home = join(stage.folder, 'tenant');
  mkdirSync(home);
  const wakeUps = new InMemoryWakeUpStore();
  const eventLog = new InMemoryEventLog();
  const stores = {
    store: new InMemoryConversationStore(),
    sessionStore: new InMemorySessionStore(),
    eventLog,
    wakeUps,
  };
  const allowedTools = ['Bash', 'ScheduleWakeup', 'CronCreate', 'Agent'];
  const newHost = (limits: HostLimits, ownLog?: InMemoryEventLog): SessionHost => {
    const host = createSessionHost({
      ...{ ...stores, limits, eventLog: ownLog ?? eventLog, ...(approvals && { approvals }) },
      optionsFor: () => stage.options({ allowedTools }, { CLAUDE_CONFIG_DIR: home }) as TenantOptions,
    });
    hosts.push(host);
    return host;
  };
  const eventsOf = async (key: { tenant: string; id: string }): Promise<readonly ConversationEvent[]> =>
    (await eventLog.read(key, 0, 10_000)).events.map(({ event }) => event);
  return { stage, wakeUps, newHost, eventsOf, sessions: stores.sessionStore };
}

type Key = { readonly tenant: string; readonly id: string };

async function say(host: SessionHost, key: Key, text: string): Promise<void> {
  const { eventId } = await host.send({ ...key, text });
  for await (const { event } of await host.events({ ...key, after: eventId })) if (event.type === 'turn_ended') return;
}

const ended = (events: readonly ConversationEvent[]) =>
  events.flatMap((event) => (event.type === 'turn_ended' ? [event.outcome] : []));

const BUILD = (command: string) => call('Bash', { command, description: 'Builds', run_in_background: true });

test('V-2: a background command outlives `idleMs`, and its end opens a turn', async () => {
  const { stage, newHost, eventsOf } = await hostsOn([BUILD('sleep 3; touch built'), 'It runs.', 'It is built.']);
  const host = newHost({ idleMs: 500 });
  const key = { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
  await say(host, key, 'Build.');
  expect(await host.get(key)).toMatchObject({ state: 'idle', tasks: [{ kind: 'local_bash', description: 'Builds' }] });
  await expect.poll(async () => ended(await eventsOf(key)), { timeout: 30_000 }).toEqual(['completed', 'completed']);
  expect(existsSync(join(stage.cwd, 'built'))).toBe(true);
  await expect.poll(() => host.metrics().processes, { timeout: 10_000 }).toBe(0);
  const shown = (await eventsOf(key)).flatMap((event) => (event.type === 'background' ? [event.tasks.length] : []));
  expect([shown[0], shown.at(-1)]).toEqual([1, 0]);
  expect((await eventsOf(key)).some(({ type }) => type === 'background_ended')).toBe(false);
});

test('V-2: a command that a drain cut is said to be, to viewers and to the model', async () => {
  const blocks = ['sleep 600', 'sleep 700'].map((command) => ({
    ...{ type: 'tool_use' as const, name: 'Bash' },
    input: { command, description: 'Builds', run_in_background: true },
  }));
  const { stage, newHost, eventsOf } = await hostsOn([{ blocks }, 'They run.', 'I see.', 'Bye.']);
  const host = newHost({});
  const key = { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
  await say(host, key, 'Build.');
  await host.drain({ graceMs: 0 });
  expect((await eventsOf(key)).find(({ type }) => type === 'background_ended')).toMatchObject({ reason: 'drained' });
  const other = newHost({});
  await say(other, key, 'And?');
  expect(ended(await eventsOf(key))).toEqual(['completed', 'completed']);
  expect(JSON.stringify((await eventsOf(key)).slice(-6))).toContain('I see.');
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain("didn't finish before the previous session ended");
  await say(other, key, 'Bye.');
  expect(ended(await eventsOf(key))).toHaveLength(3);
});

test.each([true, false])(
  'V-2: a message through another host ends what runs on the first (heard of: %s)',
  async (isHeard) => {
    const turns = [BUILD('sleep 4; touch built'), 'It runs.', 'I remember BANANA.', 'Bye.'];
    const { stage, newHost, eventsOf } = await hostsOn(turns);
    // A log that is not shared: the first host does not hear of the second one.
    const [one, two] = [newHost({}, isHeard ? undefined : new InMemoryEventLog()), newHost({})];
    const key = { tenant: 'ada', id: (await one.create({ tenant: 'ada' })).id };
    await say(one, key, 'Build.');
    await expect.poll(() => one.metrics().kept).toBe(1);
    await say(two, key, 'Remember the word BANANA.');
    await expect.poll(() => one.metrics().processes, { timeout: 20_000 }).toBe(0);
    expect(existsSync(join(stage.cwd, 'built'))).toBe(!isHeard);
    const said = await two.transcript(key);
    expect(JSON.stringify(said)).toContain('I remember BANANA.');
    await say(two, key, 'Bye.');
    expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('I remember BANANA.');
    expect(ended(await eventsOf(key)).slice(-2)).toEqual(['completed', 'completed']);
  },
);

test('V-2: a conversation that another host removes stays removed, and what runs in it ends', async () => {
  const { stage, newHost, sessions } = await hostsOn([BUILD('sleep 4; touch built'), 'It runs.']);
  const [one, two] = [newHost({}), newHost({})];
  const key = { tenant: 'ada', id: (await one.create({ tenant: 'ada' })).id };
  await say(one, key, 'Build.');
  await two.remove(key);
  await expect.poll(() => one.metrics().processes, { timeout: 20_000 }).toBe(0);
  expect(sessions.size).toBe(0);
  expect(existsSync(join(stage.cwd, 'built'))).toBe(false);
});

test('V-1, V-2: a call that waits on one host goes on although another one had kept a process', async () => {
  const pay = call('Bash', { command: 'echo paid >> paid', description: 'Pays' });
  const turns = [BUILD('sleep 3; touch built'), 'It runs.', pay, 'Paid.'];
  const approvals: SessionHostOptions['approvals'] = {
    store: new InMemoryApprovalStore(),
    keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
    needsApproval: ({ input }) => String(input.command).includes('paid'),
  };
  const { stage, newHost, eventsOf } = await hostsOn(turns, approvals);
  const [one, two] = [newHost({}), newHost({})];
  const key = { tenant: 'ada', id: (await one.create({ tenant: 'ada' })).id };
  await say(one, key, 'Build.');
  await say(two, key, 'Pay.');
  await expect.poll(() => one.metrics().processes, { timeout: 20_000 }).toBe(0);
  const [approval] = await two.approvals(key);
  const { approvalId = '', token = '' } = approval ?? {};
  const { eventId } = await two.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
  for await (const { event } of await two.events({ ...key, after: eventId })) if (event.type === 'turn_ended') break;
  expect((await two.approvals(key)).map(({ state }) => state)).toEqual(['done']);
  expect(readFileSync(join(stage.cwd, 'paid'), 'utf8')).toBe('paid\n');
  expect(ended(await eventsOf(key))).toEqual(['completed', 'deferred', 'completed']);
});

test('V-2: one task is stopped, and an interrupt spares it', async () => {
  const turns = [BUILD('sleep 600'), call('Bash', { command: 'tail -f /dev/null', description: 'Waits' }), 'No.'];
  const { newHost, eventsOf } = await hostsOn(turns);
  const host = newHost({});
  const key = { tenant: 'ada', id: (await host.create({ tenant: 'ada' })).id };
  await host.send({ ...key, text: 'Build.' });
  await expect.poll(async () => (await host.get(key)).tasks?.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(async () => JSON.stringify(await eventsOf(key)), { timeout: 20_000 }).toContain('tail -f');
  await host.interrupt(key);
  await expect.poll(async () => ended(await eventsOf(key)), { timeout: 20_000 }).toEqual(['interrupted']);
  const [task] = (await host.get(key)).tasks ?? [];
  await host.stopTask({ ...key, taskId: task?.taskId ?? '' });
  await expect.poll(async () => (await host.get(key)).tasks, { timeout: 20_000 }).toBeUndefined();
});

test.each([
  ['ScheduleWakeup', { delaySeconds: 60, reason: 'x', prompt: 'Check it.' }, 0],
  ['CronCreate', { cron: '0 0 1 1 *', prompt: 'Check it.', recurring: true }, 1],
] as const)('V-2: what %s has planned is sent by another host, once', async (name, input, left) => {
  const { stage, wakeUps, newHost, eventsOf } = await hostsOn([call(name, input), 'Planned.', 'Checked.', 'Bye.']);
  const one = newHost({});
  const key = { tenant: 'ada', id: (await one.create({ tenant: 'ada' })).id };
  await say(one, key, 'Plan.');
  expect((await one.get(key)).wakeUps).toMatchObject([{ prompt: 'Check it.', recurring: left === 1 }]);
  await one.drain({ graceMs: 0 });
  // As if its time had come.
  const planned = await wakeUps.get(key);
  await wakeUps.set(
    key,
    planned.map((each) => ({ ...each, dueAt: 0, fireAt: 0 })),
  );
  const [two, three] = [newHost({ wakeUpMs: 100 }), newHost({ wakeUpMs: 100 })];
  await expect.poll(async () => ended(await eventsOf(key)), { timeout: 30_000 }).toEqual(['completed', 'completed']);
  expect((await eventsOf(key)).filter(({ type }) => type === 'wake_up')).toHaveLength(1);
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]');
  // A cron is due again, and is held by the process that has resumed.
  const again = await wakeUps.get(key);
  expect(again.map(({ wakeUpId }) => wakeUpId)).toEqual(planned.slice(0, left).map(({ wakeUpId }) => wakeUpId));
  for (const { dueAt, fireAt } of again) expect(fireAt).toBeGreaterThan(dueAt);
  expect(two.metrics().started + three.metrics().started).toBe(1);
});
