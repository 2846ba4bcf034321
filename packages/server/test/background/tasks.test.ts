import type { Script } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import type { ConversationEvent } from '../../src/events/conversation-event.js';
import type { HostLimits } from '../../src/host/limits.js';
import type { SessionHost } from '../../src/host/session-host.js';
import type { ConversationKey } from '../../src/stores/conversation-key.js';
import { RESUMED, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, eventsUntil, hostOn, newKey } from '../helpers/hosts.js';

type Kit = Parameters<Extract<Script, (...args: never[]) => unknown>>[0];

const TASK = { taskId: 'b1', kind: 'local_bash', description: 'Builds' };
const FRAME = { task_id: 'b1', run_id: 'r1', task_type: 'local_bash', description: 'Builds' };
/** A turn that leaves a task behind. */
const leaving = (kit: Kit, prompt = 'Build') => [
  ...[kit.prompt(prompt), kit.init(), kit.systemMessage('background_tasks_changed', { tasks: [FRAME] })],
  kit.result('It runs.'),
];

async function hostWith(limits: HostLimits, script: Script): Promise<SessionHost> {
  const { cwd, options } = await sharedStores();
  const { approvals: _, ...rest } = options;
  return hostOn(cliFor(script), { ...rest, limits }, cwd);
}

/** The events up to the first of this type. */
async function until(host: SessionHost, key: ConversationKey, type: ConversationEvent['type']) {
  return (await eventsUntil(host, key, ({ event }) => event.type === type)).map(({ event }) => event);
}

describe('V-2: a task that runs on after its turn', () => {
  test('keeps its process, and is shown until it has ended', async () => {
    const host = await hostWith({ idleMs: 0 }, (kit) => [
      ...[kit.process(), ...leaving(kit), kit.prompt('More')],
      // It ends, and Claude Code goes on by itself.
      ...[kit.systemMessage('background_tasks_changed', { tasks: [] }), kit.init(), kit.result('Done.')],
    ]);
    const key = await newKey(host);
    expect(await ask(host, key, 'Build')).toBe('completed');
    expect((await until(host, key, 'turn_ended')).slice(-2)[0]).toEqual({
      ...{ type: 'background', tasks: [TASK], wakeUps: [] },
    });
    expect(await host.get(key)).toMatchObject({ state: 'idle', tasks: [TASK] });
    expect(host.metrics()).toMatchObject({ kept: 1, processes: 1, conversations: { idle: 1 } });
    // A message goes to the process that is there.
    expect(await ask(host, key, 'More')).toBe('completed');
    await expect.poll(() => host.metrics()).toMatchObject({ kept: 0, processes: 0, started: 1 });
    expect((await host.get(key)).tasks).toBeUndefined();
  });

  test('is not evicted for another conversation, which waits', async () => {
    const host = await hostWith({ processes: 1, queueMs: 1 }, (kit) => [kit.process(), ...leaving(kit)]);
    const key = await newKey(host);
    await ask(host, key, 'Build');
    await expect(host.send({ ...(await newKey(host)), text: 'Hi' })).rejects.toMatchObject({ code: 'busy' });
    expect(await host.get(key)).toMatchObject({ tasks: [TASK] });
  });

  test.each([
    ['after `backgroundMs`', { backgroundMs: 0 }, 'limit'],
    ['after `idleMs`, where no more may be kept', { backgroundProcesses: 0, idleMs: 0 }, 'limit'],
  ] as const)('ends %s, and viewers are told', async (_, limits, reason) => {
    const host = await hostWith(limits, (kit) => [kit.process(), ...leaving(kit)]);
    const key = await newKey(host);
    await ask(host, key, 'Build');
    const events = await until(host, key, 'background_ended');
    expect(events.at(-1)).toEqual({ type: 'background_ended', reason, tasks: [TASK] });
    await expect.poll(() => host.metrics()).toMatchObject({ kept: 0, processes: 0 });
  });

  test('gives way where no more may be kept, and viewers are told', async () => {
    const host = await hostWith({ processes: 1, backgroundProcesses: 0 }, (kit) => [
      [kit.process(), ...leaving(kit)],
      [kit.process(), kit.turn('Hi.', 'Hello')],
    ]);
    const key = await newKey(host);
    await ask(host, key, 'Build');
    expect(await ask(host, await newKey(host), 'Hello')).toBe('completed');
    const events = await until(host, key, 'background_ended');
    expect(events.at(-1)).toMatchObject({ reason: 'evicted', tasks: [TASK] });
  });

  test('ends with its host, and the next turn of another host is not taken for lost', async () => {
    const { cwd, options } = await sharedStores();
    const { approvals: _, ...rest } = options;
    const cli = cliFor((kit) => [
      [kit.process(), ...leaving(kit)],
      [kit.process({ argv: { '--resume': RESUMED.argv['--resume'] } }), kit.turn('Hi.', 'Hello')],
    ]);
    const [one, two] = [hostOn(cli, rest, cwd), hostOn(cli, rest, cwd)];
    const key = await newKey(one);
    await ask(one, key, 'Build');
    await one.drain({ graceMs: 0 });
    expect(await ask(two, key, 'Hello')).toBe('completed');
    const all = await eventsUntil(two, key, ({ event }) => event.type === 'user_message' && event.text === 'Hello');
    const rest2 = all.map(({ event }) => event);
    expect(rest2).toContainEqual({ type: 'background_ended', reason: 'drained', tasks: [TASK] });
    expect(rest2.filter(({ type }) => type === 'turn_ended')).toHaveLength(1);
  });

  test('of a host that died is said to have ended by the next turn, once', async () => {
    const { cwd, options } = await sharedStores();
    const { approvals: _, ...rest } = options;
    const resumed = (kit: Kit) => kit.process({ argv: { '--resume': RESUMED.argv['--resume'] } });
    const cli = cliFor((kit) => [
      [kit.process(), ...leaving(kit)],
      [resumed(kit), ...leaving(kit, 'Again')],
      [resumed(kit), kit.turn('Hi.', 'Hello')],
    ]);
    // To the second host, the first is as good as dead: it says nothing of its task.
    const [one, two] = [hostOn(cli, rest, cwd), hostOn(cli, rest, cwd)];
    const key = await newKey(one);
    await ask(one, key, 'Build');
    expect(await ask(two, key, 'Again')).toBe('completed');
    const events = await eventsUntil(two, key, ({ event }) => event.type === 'user_message' && event.text === 'Again');
    expect(events.slice(-3).map(({ event }) => event)).toEqual([
      { type: 'background_ended', reason: 'crashed', tasks: [TASK] },
      { type: 'background', tasks: [], wakeUps: [] },
      { type: 'user_message', text: 'Again' },
    ]);
    // What the first host has to say of its own task is known by now.
    await two.drain({ graceMs: 0 });
    expect(await ask(one, key, 'Hello')).toBe('completed');
    const all = (await eventsUntil(one, key, ({ event }) => event.type === 'user_message' && event.text === 'Hello'))
      .map(({ event }) => event)
      .filter(({ type }) => type === 'background_ended');
    expect(all).toEqual([
      { type: 'background_ended', reason: 'crashed', tasks: [TASK] },
      { type: 'background_ended', reason: 'drained', tasks: [TASK] },
    ]);
  });

  test('is said again at the end of each turn, so that whoever reads the end of the log knows of it', async () => {
    const host = await hostWith({}, (kit) => [kit.process(), ...leaving(kit), kit.turn('Hi.', 'Hello')]);
    const key = await newKey(host);
    await ask(host, key, 'Build');
    await ask(host, key, 'Hello');
    const isEnd = ({ event }: { event: ConversationEvent }) => event.type === 'turn_ended';
    const first = await eventsUntil(host, key, isEnd);
    const second = await eventsUntil(host, key, isEnd, first.at(-1)?.id);
    for (const turn of [first, second]) expect(turn.at(-2)?.event).toMatchObject({ type: 'background', tasks: [TASK] });
  });

  test('is ended alone, by its id', async () => {
    const host = await hostWith({}, (kit) => [
      ...[kit.process(), ...leaving(kit), kit.expectRequest('stop_task', { task_id: 'b1' })],
      kit.systemMessage('background_tasks_changed', { tasks: [] }),
    ]);
    const key = await newKey(host);
    await ask(host, key, 'Build');
    await expect(host.stopTask({ ...key, taskId: 'b2' })).rejects.toMatchObject({ code: 'not_found' });
    await host.stopTask({ ...key, taskId: 'b1' });
    await expect.poll(async () => (await host.get(key)).tasks).toBeUndefined();
    await expect(host.stopTask({ ...key, taskId: 'b1' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
