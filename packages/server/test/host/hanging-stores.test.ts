import type { Script } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import type { EventLog } from '../../src/events/event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { settled } from '../../src/stores/time-limit.js';
import { newGate } from '../helpers/gate.js';
import { ask, cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';

const never = (): Promise<never> => new Promise(() => {});
const fails = (): Promise<never> => Promise.reject(new TypeError('connection reset'));
const throws = (): never => {
  throw new TypeError('connection reset');
};

/** Stores that do what they should, and the calls of a turn. */
function parts() {
  return {
    store: new InMemoryConversationStore(),
    eventLog: new InMemoryEventLog(),
    approvals: new InMemoryApprovalStore(),
  };
}

type Part = keyof ReturnType<typeof parts>;

/** What a message needs before it can be sent. */
const BEFORE: readonly [Part, string][] = [
  ['store', 'get'],
  ['store', 'acquire'],
  ['eventLog', 'append'],
  ['approvals', 'list'],
];

/** What only the end of a turn needs: the turn ends all the same. */
const AFTER: readonly [Part, string][] = [
  ['store', 'update'],
  ['store', 'renew'],
  ['store', 'release'],
];

describe.each([
  ['never settles', never, /\w+\.\w+\(\) has not settled within 20 ms/],
  ['rejects', fails, /\w+\.\w+\(\) failed: connection reset/],
  ['throws', throws, /\w+\.\w+\(\) failed: connection reset/],
])('a store whose call %s', (_, broken, says) => {
  test.each(BEFORE)('%s.%s: the message fails, and the host drains', async (part, method) => {
    const stores = parts();
    // What is written about the turn is written when its process is there.
    const script: Script = part === 'store' ? NONE : ({ endOfInput }) => [endOfInput()];
    const host = hostOn(cliFor(script), withApprovals(stores));
    const key = await newKey(host);
    Object.assign(stores[part], { [method]: broken });
    const error = await host.send({ ...key, text: 'Go' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'HostError', code: 'store_failed', message: expect.stringMatching(says) });
    expect(host.metrics()).toMatchObject({ conversations: { busy: 0, starting: 0 } });
    await host.drain({ graceMs: 0 });
    expect(host.metrics().processes).toBe(0);
  });

  test.each(AFTER)('%s.%s: the turn ends, and the host drains', async (part, method) => {
    const stores = parts();
    const host = hostOn(
      cliFor(({ turn }) => [turn('Yes.', 'Go')]),
      withApprovals(stores),
    );
    const key = await newKey(host);
    Object.assign(stores[part], { [method]: broken });
    expect(await ask(host, key, 'Go')).toBe('completed');
    await host.drain({ graceMs: 0 });
    expect(host.metrics().processes).toBe(0);
  });
});

test('viewers of a log that never answers are told', async () => {
  const { eventLog, store } = parts();
  const host = hostOn(cliFor(NONE), { store, eventLog, limits: { storeMs: 20 } });
  const key = await newKey(host);
  eventLog.read = never;
  await expect(host.events(key)).rejects.toMatchObject({ code: 'store_failed' });
  expect(host.metrics().viewers).toBe(0);
});

describe('optionsFor', () => {
  test.each([
    ['that never settles', never, 'start_failed', /optionsFor\(\) has not settled within 20 ms/],
    ['that rejects', fails, 'start_failed', /connection reset/],
    ['that throws', throws, 'start_failed', /connection reset/],
    ['that returns nothing', () => undefined, 'start_failed', /must return the options of a tenant, got undefined/],
    ['that returns null', () => null, 'start_failed', /must return the options of a tenant, got null/],
    ['without a home', () => ({}), 'start_failed', /CLAUDE_CONFIG_DIR/],
  ])('%s: the message fails, and the host drains', async (_, optionsFor, code, says) => {
    const host = hostOn(cliFor(NONE), { optionsFor: optionsFor as never, limits: { storeMs: 20 } });
    const key = await newKey(host);
    await expect(host.send({ ...key, text: 'Go' })).rejects.toMatchObject({
      ...{ code, message: expect.stringMatching(says) },
    });
    await host.drain({ graceMs: 0 });
    expect(host.metrics().processes).toBe(0);
  });
});

test('a watch of the event log that begins after its time is ended', async () => {
  const gate = newGate();
  const ended = newGate();
  const eventLog: EventLog = Object.assign(new InMemoryEventLog(), {
    watch: async () => {
      await gate.pass();
      return () => void ended.pass();
    },
  });
  const host = hostOn(cliFor(NONE), { eventLog, limits: { storeMs: 20 } });
  const key = await newKey(host);
  const abort = new AbortController();
  const viewer = await host.events({ ...key, signal: abort.signal });
  const next = viewer.next();
  await gate.reached;
  // Refused to the viewer by now: the next one asks anew.
  await expect(settled(20, 'nothing', () => new Promise(() => {}))).rejects.toMatchObject({ code: 'store_failed' });
  gate.open();
  await ended.reached;
  abort.abort();
  expect((await next).done).toBe(true);
});

function withApprovals({ approvals, ...stores }: ReturnType<typeof parts>) {
  const keys = [{ id: 'k', secret: new Uint8Array(32) }];
  return {
    ...{ ...stores, limits: { storeMs: 20 } },
    approvals: { store: approvals, keys, needsApproval: () => false },
  };
}
