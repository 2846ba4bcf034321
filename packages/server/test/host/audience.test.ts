import { setImmediate as immediate } from 'node:timers/promises';
import { faults } from 'claudewire/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LoggedEvent } from '../../src/events/conversation-event.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { Audience } from '../../src/host/audience.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { newGate } from '../helpers/gate.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

const types = (events: readonly LoggedEvent[]) => events.map(({ event }) => event.type);

test('an audience has no timer without a viewer or an open turn', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heard: string[] = [];
  const audience = new Audience({
    ...{ abandonMs: 50, lookMs: 20 },
    onAbandoned: () => void heard.push('abandoned'),
    onLook: () => void heard.push('look'),
  });
  audience.enter();
  audience.enter();
  vi.advanceTimersByTime(40);
  audience.leave();
  audience.turnBegan();
  vi.advanceTimersByTime(20);
  audience.leave();
  expect(heard).toEqual(['look', 'look', 'look']);
  vi.advanceTimersByTime(49);
  audience.enter();
  audience.leave();
  vi.advanceTimersByTime(49);
  expect(heard).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(heard.at(-1)).toBe('abandoned');
  audience.turnEnded();
  audience.turnBegan();
  audience.turnEnded();
  expect(vi.getTimerCount()).toBe(0);
  audience.enter();
  audience.close();
  audience.enter();
  expect(vi.getTimerCount()).toBe(0);
});

test('a turn that nobody looks at is interrupted after `abandonMs`, and goes on without it', async () => {
  const cli = cliFor(({ prompt, init, expectRequest, errorResult }) => [
    prompt('Long'),
    init(),
    expectRequest('interrupt'),
    errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
  ]);
  const eventLog = new InMemoryEventLog();
  const host = hostOn(cli, { eventLog, limits: { abandonMs: 1 } });
  const key = await newKey(host);
  await host.send({ ...key, text: 'Long' });
  await expect.poll(() => host.metrics().turns).toEqual({ interrupted: 1 });
});

test('a passive viewer, such as a meter, does not keep a turn from being abandoned', async () => {
  const cli = cliFor(({ prompt, init, expectRequest, errorResult }) => [
    ...[prompt('Long'), init(), expectRequest('interrupt')],
    errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
  ]);
  const host = hostOn(cli, { limits: { abandonMs: 1 } });
  const key = await newKey(host);
  const meter = await host.events({ ...key, isPassive: true });
  await host.send({ ...key, text: 'Long' });
  for await (const { event } of meter) {
    if (event.type !== 'turn_ended') continue;
    expect(event.outcome).toBe('interrupted');
    break;
  }
});

test('whoever reads that a turn is over may send at once', async () => {
  const store = new InMemoryConversationStore();
  const { release } = store;
  store.release = async (...args) => {
    for (let tick = 0; tick < 20; tick += 1) await immediate();
    await release.apply(store, args);
  };
  const host = hostOn(
    cliFor(({ turn }) => [turn('One.', '1'), turn('Two.', '2')]),
    { store },
  );
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: '1' });
  await turnOf(host, key, eventId);
  expect(await ask(host, key, '2')).toBe('completed');
});

test('a question comes behind the message that it is about', async () => {
  const cli = cliFor(({ prompt, init, assistantText, toolUse, permission, toolResult, result }) => [
    prompt('Go'),
    init(),
    ...Array.from({ length: 300 }, (_, index) => assistantText(`${index}`)),
    toolUse('Bash', { command: 'ls' }),
    permission(),
    toolResult('a.txt'),
    result('Done.'),
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  await host.send({ ...key, text: 'Go' });
  const events = await eventsUntil(host, key, ({ event }) => event.type === 'question');
  const before = events.at(-2)?.event;
  if (before?.type !== 'message' || before.message.type !== 'assistant') throw new Error('no message before it');
  const question = events.at(-1)?.event;
  if (question?.type !== 'question') throw new Error('nothing was asked');
  expect(before.message.message.content).toContainEqual(
    expect.objectContaining({ type: 'tool_use', id: question.toolUseId }),
  );
  await host.answer({ ...key, questionId: question.questionId, answer: { behavior: 'allow' } });
  await turnOf(host, key);
});

test('a turn whose host died is ended for whoever looks, once the lease has passed', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const host = hostOn(cliFor(NONE), { ...parts, limits: { leaseMs: 60 } });
  const key = await newKey(host);
  // What a host leaves that is killed in a turn.
  await parts.eventLog.append(key, [{ type: 'user_message', text: 'Go' }]);
  await parts.store.acquire(key, 30);
  const events = await turnOf(host, key);
  expect(types(events)).toEqual(['user_message', 'turn_ended']);
  expect(events.at(-1)?.event).toMatchObject({ outcome: 'crashed' });
  expect(types(await turnOf(host, key))).toEqual(['user_message', 'turn_ended']);
});

test('a turn whose host died is ended for whoever asks for the conversation, with the tasks that ran on', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const host = hostOn(cliFor(NONE), { ...parts, limits: { leaseMs: 60 } });
  const key = await newKey(host);
  const tasks = [{ taskId: 'b1', kind: 'local_bash', description: 'Builds' }];
  await parts.eventLog.append(key, [
    { type: 'user_message', text: 'Build' },
    { type: 'background', tasks, wakeUps: [] },
    { type: 'turn_ended', outcome: 'completed' },
    { type: 'user_message', text: 'Go' },
  ]);
  await parts.store.acquire(key, 1);
  await expect
    .poll(async () => {
      await host.get(key);
      return (await parts.eventLog.read(key, 4, 10)).events.map(({ event }) => event);
    })
    .toEqual([
      { type: 'background_ended', reason: 'crashed', tasks },
      { type: 'background', tasks: [], wakeUps: [] },
      { type: 'turn_ended', outcome: 'crashed' },
    ]);
  parts.eventLog.read = async () => {
    throw new Error('EIO');
  };
  expect(await host.get(key)).toMatchObject({ id: key.id });
});

test('a turn whose host is alive is not ended by another host', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
  const one = hostOn(cli, { ...parts, limits: { interruptMs: 1 } });
  const key = await newKey(one);
  await one.send({ ...key, text: 'Go' });
  const two = hostOn(cli, parts);
  const viewer = await two.events({ ...key });
  await viewer.return?.();
  expect(types((await parts.eventLog.read(key, 0, 100)).events)).not.toContain('turn_ended');
});

test('the next message ends a lost turn first', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const host = hostOn(
    cliFor(({ turn }) => [turn('Two.', '2')]),
    parts,
  );
  const key = await newKey(host);
  await parts.eventLog.append(key, [{ type: 'user_message', text: 'Go' }]);
  await parts.store.release(key, (await parts.store.acquire(key, 60_000)) ?? 0);
  expect(await ask(host, key, '2')).toBe('completed');
  const { events } = await parts.eventLog.read(key, 0, 3);
  expect(types(events)).toEqual(['user_message', 'turn_ended', 'user_message']);
});

test('a lease that outlives its turn for a moment does not refuse a message to another host', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const host = hostOn(
    cliFor(({ turn }) => [turn('One.', '1')]),
    parts,
  );
  const key = await newKey(host);
  await parts.store.acquire(key, 20);
  expect(await ask(host, key, '1')).toBe('completed');
});

test('a viewer that leaves while a lost turn is looked at leaves nothing behind', async () => {
  const parts = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog() };
  const host = hostOn(cliFor(NONE), { ...parts, limits: { leaseMs: 10 } });
  const key = await newKey(host);
  await parts.eventLog.append(key, [{ type: 'user_message', text: 'Go' }]);
  await parts.store.acquire(key, 60_000);
  const viewer = await host.events({ ...key });
  const { read } = parts.eventLog;
  const gate = newGate();
  parts.eventLog.read = async (...args) => {
    await gate.pass();
    return await read.apply(parts.eventLog, args);
  };
  await gate.reached;
  await viewer.return?.();
  expect(host.metrics().conversations).toMatchObject({ cold: 1 });
  gate.open();
  await expect.poll(() => host.metrics().conversations).toMatchObject({ cold: 0 });
});

test('a turn that Claude Code opens while a viewer enters comes to its end', async () => {
  const cli = cliFor(({ turn, hook, init, assistantText, result }) => [
    turn('One.', '1'),
    ...[
      hook('Notification', { message: 'x', notification_type: 'x' }),
      init(),
      assistantText('A task has ended.'),
      result('Own.'),
    ],
  ]);
  const ownTurn = newGate();
  const look = newGate();
  const eventLog = new InMemoryEventLog();
  const folder = tempFolder();
  const hold = async () => {
    await ownTurn.pass();
    return {};
  };
  const optionsFor = () => ({
    ...{ ...cli.options, cwd: folder, env: { CLAUDE_CONFIG_DIR: folder } },
    hooks: { Notification: [{ hooks: [hold] }] },
  });
  const host = hostOn(cli, { eventLog, optionsFor });
  const key = await newKey(host);
  expect(await ask(host, key, '1')).toBe('completed');
  await ownTurn.reached;
  await expect.poll(() => host.metrics().conversations.idle).toBe(1);
  const { read } = eventLog;
  const { lastId } = await eventLog.read(key, 0, 0);
  eventLog.read = async (...args) => {
    // The look for a lost turn.
    if (args[1] === 0) await look.pass();
    return await read.apply(eventLog, args);
  };
  const seen = eventsUntil(host, key, ({ event }) => event.type === 'turn_ended', lastId);
  await look.reached;
  ownTurn.open();
  await expect.poll(() => host.metrics().conversations.idle).toBe(0);
  look.open();
  expect(types(await seen)).toEqual(['message', 'message', 'message', 'turn_ended']);
});
