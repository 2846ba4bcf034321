import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import { faults } from 'claudewire/testing';
import { CostLedger, recordRuns } from 'claudewire-otel/ledger';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ConversationEvent } from '../../src/events/conversation-event.js';
import type { EventLog } from '../../src/events/event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { currentTenant } from '../../src/host/current-tenant.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { ask, cliFor, hostOn, newKey, SESSION } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

type OnEvent = NonNullable<SessionHostOptions['onEvent']>;

/** What a meter counts. */
function costsOf(meter: ReturnType<typeof vi.fn<OnEvent>>): readonly (number | undefined)[] {
  return meter.mock.calls.flatMap(([, event]) => (event.type === 'turn_ended' ? [event.costUsd] : []));
}

/** As newer releases say it. */
const since = (costUSD: number) => ({ model_usage_since_last_result: { 'claude-opus-5-5': { costUSD } as never } });

test('the host hears every event of every conversation, with whose it is', async () => {
  const cli = cliFor(({ process, turn }) => [
    [process(), turn('One.', '1')],
    [process(), turn('Two.', '2')],
  ]);
  const onEvent = vi.fn<OnEvent>();
  const host = hostOn(cli, { onEvent });
  const [ada, bob] = [await newKey(host, 'ada'), await newKey(host, 'bob')];
  await ask(host, ada, '1');
  await ask(host, bob, '2');
  const heard = (id: string) =>
    onEvent.mock.calls.flatMap(([conversation, event]) => (conversation.id === id ? [event.type] : []));
  expect(heard(ada.id)).toEqual(['user_message', 'message', 'message', 'message', 'turn_ended']);
  expect(heard(bob.id)).toEqual(heard(ada.id));
  expect(onEvent.mock.calls.map(([{ tenant, id }]) => `${tenant} ${id}`)).toEqual([
    ...Array<string>(5).fill(`ada ${ada.id}`),
    ...Array<string>(5).fill(`bob ${bob.id}`),
  ]);
});

test.each<[string, OnEvent]>([
  [
    'throws',
    () => {
      throw new Error('meter is down');
    },
  ],
  ['rejects', () => Promise.reject(new Error('meter is down'))],
  ['never settles', () => new Promise<void>(() => {})],
])('a meter that %s changes nothing about a turn', async (_, onEvent) => {
  const host = hostOn(
    cliFor(({ turn }) => [turn('One.', '1'), turn('Two.', '2')]),
    { onEvent },
  );
  const key = await newKey(host);
  expect([await ask(host, key, '1'), await ask(host, key, '2')]).toEqual(['completed', 'completed']);
});

test('a meter hears what the event log could not take', async () => {
  const memory = new InMemoryEventLog();
  const isEnd = ({ type }: ConversationEvent) => type === 'turn_ended';
  const eventLog: EventLog = {
    append: async (key, events) => {
      if (events.some(isEnd)) throw new Error('disk full');
      return await memory.append(key, events);
    },
    read: (...page) => memory.read(...page),
    remove: (key) => memory.remove(key),
  };
  const onEvent = vi.fn<OnEvent>();
  const host = hostOn(
    cliFor(({ turn }) => [turn('One.', '1')]),
    { onEvent, eventLog },
  );
  await host.send({ ...(await newKey(host)), text: '1' });
  await expect.poll(() => costsOf(onEvent)).toEqual([0.001]);
});

test('the end of a turn says what it cost, though Claude Code says what the session cost', async () => {
  const cli = cliFor(({ prompt, init, result }) => [
    ...[prompt('1'), init(), result('One.', { total_cost_usd: 0.25 })],
    ...[prompt('2'), init(), result('Two.', { total_cost_usd: 0.75 })],
    ...[prompt('3'), init(), result('New session.', { total_cost_usd: 0.125 })],
    ...[prompt('4'), init(), faults.crash({ exitCode: 1 })],
  ]);
  const onEvent = vi.fn<OnEvent>();
  const host = hostOn(cli, { onEvent });
  const key = await newKey(host);
  for (const text of ['1', '2', '3', '4']) await ask(host, key, text);
  expect(costsOf(onEvent)).toEqual([0.25, 0.5, 0.125, undefined]);
});

/** A release before 2.1.330. */
const OLDER = { model_usage_since_last_result: undefined as never };

test('a turn of a resumed conversation costs what newer releases say it added, and else nobody knows', async () => {
  const folder = tempFolder();
  const sessionStore = new InMemorySessionStore();
  await sessionStore.append({ projectKey: projectKeyForDirectory(folder), sessionId: SESSION }, [
    {
      ...{ type: 'user', uuid: SESSION, parentUuid: null, sessionId: SESSION, cwd: folder },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: '1' } },
    },
  ]);
  const cli = cliFor(({ process, prompt, init, result }) => [
    [process(), prompt('1'), init(), result('One.', { total_cost_usd: 0.25 })],
    [
      process({ argv: { '--resume': SESSION } }),
      ...[prompt('2'), init(), result('Two.', { total_cost_usd: 0.75, ...since(0.5) })],
    ],
    [
      process({ argv: { '--resume': SESSION } }),
      ...[prompt('3'), init(), result('Three.', { total_cost_usd: 1, ...OLDER })],
      ...[prompt('4'), init(), result('Four.', { total_cost_usd: 3, ...OLDER })],
    ],
  ]);
  const onEvent = vi.fn<OnEvent>();
  const stores = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog(), sessionStore };
  const nextHost = () => hostOn(cli, { onEvent, ...stores }, folder);
  const first = nextHost();
  const key = await newKey(first);
  await ask(first, key, '1');
  await first.close();
  const second = nextHost();
  await ask(second, key, '2');
  await second.close();
  const third = nextHost();
  await ask(third, key, '3');
  await ask(third, key, '4');
  expect(costsOf(onEvent)).toEqual([0.25, 0.5, undefined, 2]);
});

test('a ledger knows the tenant of each process, of spares too', async () => {
  const ledger = new CostLedger();
  onTestFinished(recordRuns(ledger, { tenantOf: currentTenant }));
  const cli = cliFor(({ turn }) => [turn('One.')], { reuse: true });
  const host = hostOn(cli, { limits: { processes: 2, spares: 1 } });
  const [ada, bob] = [await newKey(host, 'ada'), await newKey(host, 'bob')];
  await expect.poll(() => host.metrics().spares).toBe(2);
  await Promise.all([ask(host, ada, '1'), ask(host, bob, '2')]);
  await host.close();
  expect(host.metrics().sparesUsed).toBe(2);
  expect(ledger.entries.map(({ tenant }) => tenant).sort()).toEqual(['ada', 'bob']);
  expect(currentTenant()).toBeUndefined();
});
