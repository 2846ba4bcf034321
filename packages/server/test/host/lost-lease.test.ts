import { spawn } from 'node:child_process';
import { InMemorySessionStore } from 'claudewire';
import { faults } from 'claudewire/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { InMemoryWakeUpStore } from '../../src/background/memory-wake-up-store.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { Lease } from '../../src/host/lease.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { leasePassed } from '../../src/stores/lease-token.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { CALL, DENY, deferring, RESUMED, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

afterEach(() => vi.useRealTimers());

const KEY = { tenant: 'ada', id: '33333333-3333-4333-8333-333333333333' };

async function leaseOn(store: InMemoryConversationStore, ttlMs = 900) {
  await store.create({ ...KEY, createdAt: 1, updatedAt: 1 });
  const onLost = vi.fn();
  const lease = await Lease.take({ store, key: KEY, ttlMs, onLost });
  if (lease === undefined) throw new Error('no lease');
  return { lease, onLost };
}

test('a lease ends by itself when the store hangs, before the store lets another host have it', async () => {
  vi.useFakeTimers();
  const store = new InMemoryConversationStore();
  const { lease, onLost } = await leaseOn(store);
  store.renew = () => new Promise(() => {});
  await vi.advanceTimersByTimeAsync(800);
  expect(lease.isHeld).toBe(true);
  await vi.advanceTimersByTimeAsync(20);
  expect([lease.isHeld, onLost.mock.calls.length]).toEqual([false, 1]);
  expect(await lease.confirm()).toBe(false);
});

test('a host that was suspended does not write before the store has said that nobody else has', async () => {
  vi.useFakeTimers();
  const store = new InMemoryConversationStore();
  const { lease, onLost } = await leaseOn(store);
  vi.setSystemTime(Date.now() + 60_000);
  expect([lease.isHeld, onLost.mock.calls.length]).toEqual([false, 0]);
  expect([await lease.settled(), await store.acquire(KEY, 900)]).toEqual([true, undefined]);
  // It was taken anew.
  expect([lease.isHeld, lease.token, onLost.mock.calls.length]).toEqual([true, 2, 0]);
  await lease.release();
  expect([vi.getTimerCount(), await store.acquire(KEY, 900)]).toEqual([0, 3]);
});

test('a host that was suspended has lost its lease when another one has had it, at work or not', async () => {
  for (const isOver of [false, true]) {
    vi.useFakeTimers();
    const store = new InMemoryConversationStore();
    const { lease, onLost } = await leaseOn(store);
    vi.setSystemTime(Date.now() + 60_000);
    const other = await store.acquire(KEY, 900);
    if (isOver) await store.release(KEY, other ?? 0);
    expect(lease.isHeld).toBe(false);
    expect([await lease.settled(), lease.isHeld, onLost.mock.calls.length]).toEqual([false, false, 1]);
    // It is free for the next one, where nobody works.
    expect((await store.acquire(KEY, 900)) !== undefined).toBe(isOver);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  }
});

test('a write that a store refuses ends the lease, whatever the clocks say', async () => {
  const store = new InMemoryConversationStore();
  const { lease, onLost } = await leaseOn(store);
  const tokens: unknown[] = [];
  const refused = lease.write(async (token) => {
    tokens.push(token);
    throw leasePassed();
  });
  await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  expect([lease.isHeld, onLost.mock.calls.length, tokens]).toEqual([false, 1, [1]]);
});

test('a write that is refused while this host takes its lease anew is made again with the new token', async () => {
  vi.useFakeTimers();
  const store = new InMemoryConversationStore();
  const { lease, onLost } = await leaseOn(store);
  vi.setSystemTime(Date.now() + 60_000);
  const recovered = lease.settled();
  const tokens: unknown[] = [];
  await lease.write(async (token) => {
    tokens.push(token);
    if (token === 1) await recovered;
    await store.update(KEY, { title: `by ${token}` }, token);
  });
  expect([await recovered, onLost.mock.calls.length, tokens]).toEqual([true, 0, [1, 2]]);
  expect((await store.get(KEY))?.title).toBe('by 2');
  await lease.release();
});

test('hosts whose stores know nothing of tokens work as before', async () => {
  const [store, eventLog, wakeUps] = [
    new InMemoryConversationStore(),
    new InMemoryEventLog(),
    new InMemoryWakeUpStore(),
  ];
  const { update } = store;
  const { append } = eventLog;
  const { set } = wakeUps;
  store.update = async (key, changes) => await update.call(store, key, changes);
  eventLog.append = async (key, events) => await append.call(eventLog, key, events);
  wakeUps.set = async (key, list) => await set.call(wakeUps, key, list);
  const cli = cliFor(({ process, turn }) => ['One', 'Two', 'Three'].map((text) => [process(), turn('Yes.', text)]));
  const options = { store, eventLog, wakeUps, sessionStore: new InMemorySessionStore() };
  const folder = tempFolder();
  const [one, two] = [hostOn(cli, options, folder), hostOn(cli, options, folder)];
  const key = await newKey(one);
  const outcomes = [await ask(one, key, 'One'), await ask(two, key, 'Two'), await ask(one, key, 'Three')];
  expect(outcomes).toEqual(['completed', 'completed', 'completed']);
  expect([one.metrics().storeFailures, two.metrics().storeFailures]).toEqual([0, 0]);
});

test('a turn goes on after the clock was set, and loses no event', async () => {
  const store = new InMemoryConversationStore();
  const cli = cliFor(({ prompt, init, permission, assistantText, result }) => [
    ...[prompt('Go'), init(), permission('Bash', { command: 'ls' }, { expect: 'allow' })],
    ...[assistantText('Done.'), result('Done.')],
  ]);
  const host = hostOn(cli, { store });
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: 'Go' });
  const seen: string[] = [];
  for await (const { event } of await host.events({ ...key, after: eventId })) {
    seen.push(event.type === 'message' ? event.message.type : event.type);
    if (event.type === 'turn_ended') break;
    if (event.type !== 'question') continue;
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    await host.answer({ ...key, questionId: event.questionId, answer: { behavior: 'allow' } });
  }
  expect(seen).toEqual(['system', 'question', 'question_closed', 'assistant', 'result', 'turn_ended']);
  expect(host.metrics()).toMatchObject({ leasesLost: 0, turns: { completed: 1 } });
});

test('a lease that is renewed is held for longer than it was taken for', async () => {
  vi.useFakeTimers();
  const { lease, onLost } = await leaseOn(new InMemoryConversationStore());
  await vi.advanceTimersByTimeAsync(5_000);
  expect([lease.isHeld, onLost.mock.calls.length]).toEqual([true, 0]);
  await lease.release();
});

test('a lease that is given back while it is renewed is free at once', async () => {
  const store = new FileConversationStore(tempFolder());
  await store.create({ ...KEY, createdAt: 1, updatedAt: 1 });
  const lease = await Lease.take({ store, key: KEY, ttlMs: 60_000, onLost: () => {} });
  const renewing = lease?.confirm();
  await lease?.release();
  await renewing;
  const next = await store.acquire(KEY, 60_000);
  expect(next).toBe(2);
});

test('the process of a host that lost its lease is stopped though the store hangs', async () => {
  const store = new InMemoryConversationStore();
  let giveBack = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    giveBack = resolve;
  });
  store.release = () => hanging;
  const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
  const host = hostOn(cli, { store, limits: { leaseMs: 900, interruptMs: 1, storeMs: 600_000 } });
  onTestFinished(giveBack);
  await host.send({ ...(await newKey(host)), text: 'Go' });
  store.renew = async () => false;
  await expect.poll(() => host.metrics().processes).toBe(0);
  expect(host.metrics().leasesLost).toBe(1);
  giveBack();
});

test('a call that was approved does not run when another host has taken over meanwhile', async () => {
  const parts = await sharedStores();
  const cli = cliFor((kit) => [
    [kit.process(), ...deferring(kit)],
    [kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: DENY }), faults.stall()],
  ]);
  const host = hostOn(cli, { ...parts.options, limits: { interruptMs: 1 } }, parts.cwd);
  const key = await newKey(host);
  expect(await ask(host, key, 'Deploy')).toBe('deferred');
  const [approval] = await host.approvals(key);
  const { approvalId = '', token = '' } = approval ?? {};
  const { store } = parts.options;
  if (store === undefined) throw new Error('no store');
  const { renew } = store;
  store.renew = async () => false;
  const decided = host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
  await expect(decided).rejects.toMatchObject({ code: 'conflict', retryAfterMs: expect.any(Number) });
  // The decision is not used up.
  expect((await host.approvals(key)).map(({ state }) => state)).toEqual(['open']);
  store.renew = renew;
  const { change } = parts.approvals;
  parts.approvals.change = async (...args) => {
    // Once it is used up, the store says that the lease is another one's.
    store.renew = async () => false;
    return await change.apply(parts.approvals, args);
  };
  await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
  await expect.poll(() => host.metrics()).toMatchObject({ processes: 0, leasesLost: 2 });
  const states = (await host.approvals(key)).map(({ state }) => state);
  expect(states).toEqual(['outcome_unknown']);
});

test('an interrupt that is repeated does not put off the end of the turn', async () => {
  const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
  const host = hostOn(cli, { limits: { interruptMs: 40, turnMs: 60_000 } });
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: 'Go' });
  const again = setInterval(() => void host.interrupt(key).catch(() => {}), 5);
  try {
    const ended = (await turnOf(host, key, eventId)).at(-1)?.event;
    expect(ended).toMatchObject({ type: 'turn_ended', outcome: 'interrupted' });
  } finally {
    clearInterval(again);
  }
});

test('a question answered with an input that needs an approval is refused, and stays open', async () => {
  const parts = await sharedStores({ needsApproval: ({ input }) => input.command === 'deploy' });
  const input = { command: 'ls' };
  const cli = cliFor(({ prompt, init, toolUse, hook, permission, toolResult, result }) => [
    ...[prompt('List'), init(), toolUse('Bash', input, { toolUseId: 'toolu_2' })],
    ...[hook('PreToolUse', { tool_name: 'Bash', tool_input: input, tool_use_id: 'toolu_2' }, { expect: {} })],
    ...[permission('Bash', input, { expect: 'allow' }), toolResult('a'), result('Done.')],
  ]);
  const host = hostOn(cli, parts.options, parts.cwd);
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: 'List' });
  for await (const { event } of await host.events({ ...key, after: eventId })) {
    if (event.type === 'turn_ended') break;
    if (event.type !== 'question') continue;
    const { questionId } = event;
    const sly = { behavior: 'allow', updatedInput: { command: 'deploy' } } as const;
    await expect(host.answer({ ...key, questionId, answer: sly })).rejects.toMatchObject({ code: 'forbidden' });
    const far = { behavior: 'allow', updatedInput: { n: Number.POSITIVE_INFINITY } } as const;
    await expect(host.answer({ ...key, questionId, answer: far })).rejects.toMatchObject({ code: 'invalid' });
    await host.answer({ ...key, questionId, answer: { behavior: 'allow' } });
  }
});

test('a host that is drained while a process starts does not wait for the start', async () => {
  // It never answers `initialize`.
  const spawnClaudeCodeProcess = () => spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  const optionsFor = () => ({ spawnClaudeCodeProcess, env: { CLAUDE_CONFIG_DIR: tempFolder() } });
  const host = hostOn(cliFor(NONE), { limits: { interruptMs: 1 }, optionsFor });
  const key = await newKey(host);
  const sent = host.send({ ...key, text: 'Go' }).catch((error: unknown) => error);
  await expect.poll(() => host.metrics().processes).toBe(1);
  await host.drain({ graceMs: 0 });
  expect(await sent).toMatchObject({ code: 'draining' });
  expect(host.metrics().processes).toBe(0);
});
