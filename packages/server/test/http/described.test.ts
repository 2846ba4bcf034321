import type { Script } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { createHandler, type HandlerOptions } from '../../src/http/handler.js';
import { ROUTES } from '../../src/http/routes.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { ALLOW, CALL, deferring, RESUMED, sharedStores } from '../helpers/approvals.js';
import { described, isDescribedEvent } from '../helpers/described.js';
import { cliFor, eventsUntil, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';

const LOCAL = { remoteAddress: '127.0.0.1' };
const TASK = { task_id: 'b1', run_id: 'r1', task_type: 'local_bash', description: 'Builds' };
const NOBODYS = '11111111-1111-4111-8111-111111111111';

/** Asks as a program on this machine does. */
function callerOf(options: HandlerOptions, onAnswer?: (what: string) => void) {
  const handler = described(createHandler({ page: true, ...options }), onAnswer);
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    handler(
      new Request(`http://localhost${path}`, {
        ...{ method, headers: { 'content-type': 'application/json', ...headers } },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      LOCAL,
    );
}

/** `data` of each event of a stream that has ended. */
const dataIn = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as { type: string });

test('each route of a real run answers as described, and so does each event of its stream', async () => {
  const { cwd, options } = await sharedStores();
  const story: Script = (kit) => [
    [
      ...[kit.process(), kit.prompt('Look'), kit.init(), kit.toolUse('Read', {}), kit.permission()],
      kit.systemMessage('background_tasks_changed', { tasks: [TASK] }),
      ...[kit.toolResult('a.txt'), kit.result('Seen.'), kit.expectRequest('stop_task', { task_id: 'b1' })],
      ...[kit.systemMessage('background_tasks_changed', { tasks: [] }), ...deferring(kit)],
    ],
    [
      ...[kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
      ...[kit.toolResult('deployed'), kit.result('Done.')],
    ],
  ];
  const host = hostOn(cliFor(story), options, cwd);
  const seen: string[] = [];
  const call = callerOf({ host }, (what) => seen.push(what));
  const { id } = (await (await call('POST', '/conversations', {})).json()) as { id: string };
  const [key, path] = [{ tenant: 'local', id }, `/conversations/${id}`];

  await call('POST', `${path}/messages`, { text: 'Look' });
  const asked = (await eventsUntil(host, key, ({ event }) => event.type === 'question')).at(-1)!;
  const { questionId } = asked.event as { questionId: string };
  await call('POST', `${path}/questions/${questionId}`, { behavior: 'allow' });
  const looked = (await turnOf(host, key)).at(-1)!;
  await call('GET', path);
  await call('POST', `${path}/tasks/b1/stop`);
  await call('POST', `${path}/messages`, { text: 'Deploy' });
  const deferred = (await turnOf(host, key, looked.id)).at(-1)!;
  const listed = (await (await call('GET', `${path}/approvals`)).json()) as { approvals: Record<string, string>[] };
  const { approvalId, token } = listed.approvals[0]!;
  await call('POST', `${path}/approvals/${approvalId}`, { token, behavior: 'allow' });
  await turnOf(host, key, deferred.id);
  await call('GET', `${path}/approvals`);

  for (const each of ['/', '/page/page.js', '/page/page.css', '/conversations', path, `${path}/transcript`]) {
    await call('GET', each);
  }
  await call('POST', `${path}/interrupt`);
  const stream = await call('GET', `${path}/events`);
  await host.drain();
  const events = dataIn(await stream.text());
  await call('DELETE', path);

  const isDone = (what: string) => / 20\d$/.test(what);
  const all = [...ROUTES.map(({ operation }) => operation), 'openPage', 'readPageFile'].sort();
  expect([...new Set(seen.filter(isDone).map((what) => what.split(' ')[0]))].sort()).toEqual(all);
  expect(seen.filter((what) => !isDone(what))).toEqual([]);
  for (const event of events) expect([event.type, isDescribedEvent(event)]).toEqual([event.type, true]);
  expect(new Set(events.map(({ type }) => type))).toEqual(
    new Set([
      ...['user_message', 'message', 'question', 'question_closed', 'turn_ended'],
      ...['approval', 'approval_decided', 'approval_closed', 'background'],
    ]),
  );
});

test('what tells a viewer of lost events is as described', async () => {
  const shared = { store: new InMemoryConversationStore(), eventLog: new InMemoryEventLog({ maxEvents: 2 }) };
  const host = hostOn(
    cliFor(({ turn }) => [turn('Hello.', 'Hi')]),
    shared,
  );
  const key = await newKey(host, 'local');
  const { eventId } = await host.send({ ...key, text: 'Hi' });
  await turnOf(host, key, eventId);
  await host.drain();
  // Another host has nothing but the log.
  const other = hostOn(cliFor(NONE), shared);
  const stream = await callerOf({ host: other })('GET', `/conversations/${key.id}/events`);
  await other.drain();
  const events = dataIn(await stream.text());
  expect(events.map(({ type }) => type)).toEqual(['events_dropped', 'message', 'turn_ended']);
  for (const event of events) expect([event.type, isDescribedEvent(event)]).toEqual([event.type, true]);
});

/** What each route can meet whatever it is asked for. */
const TROUBLES = {
  'a host that is drained': async (host) => await host.drain(),
  'a tenant that cannot be one': () => ({ authenticate: () => 'x'.repeat(600) }),
  'a tenant that is no Unicode': () => ({ authenticate: () => 'a\ud800' }),
  nobody: () => ({ authenticate: () => undefined }),
  'an `authenticate` that fails': () => ({ authenticate: () => Promise.reject(new Error('down')) }),
  'a store that fails': (_, store) => {
    const fail = () => Promise.reject(new Error('down'));
    Object.assign(store, { create: fail, get: fail, list: fail });
  },
  'options that fail': (_, __, options) => {
    options.fail = true;
  },
  'a foreign page': () => ({ headers: { origin: 'https://evil.example' } }),
  'a foreign name': () => ({ headers: { host: 'evil.example' } }),
} satisfies Record<string, Trouble>;

type Trouble = (
  host: ReturnType<typeof hostOn>,
  store: InMemoryConversationStore,
  options: { fail: boolean },
) => object | void | Promise<void>;

const BODIES: Readonly<Record<string, object>> = {
  createConversation: {},
  sendMessage: { text: 'Hi' },
  answerQuestion: { behavior: 'allow' },
  decideApproval: { behavior: 'allow', token: 'x' },
};

describe.each(Object.entries<Trouble>(TROUBLES))('with %s', (_, trouble) => {
  test.each(ROUTES.map((route) => [route.operation, route] as const))(
    '%s answers as described',
    async (name, route) => {
      const store = new InMemoryConversationStore();
      const options = { fail: false };
      const cwd = '/nowhere';
      const host = hostOn(cliFor(NONE), {
        store,
        optionsFor: () => {
          if (options.fail) throw new Error('no options');
          return { cwd, env: { CLAUDE_CONFIG_DIR: cwd } };
        },
      });
      const key = await newKey(host, 'local');
      // A conversation that was talked in before, so that its transcript is looked for.
      await store.update(key, { sessionId: NOBODYS });
      const { headers = {}, ...over } = ((await trouble(host, store, options)) ?? {}) as {
        headers?: Record<string, string>;
      };
      const call = callerOf({ host, ...over });
      const path = route.path.replace(':id', key.id).replace(/:\w+/, NOBODYS);
      const response = await call(route.method, path, BODIES[name], headers);
      await response.body?.cancel();
    },
  );
});
