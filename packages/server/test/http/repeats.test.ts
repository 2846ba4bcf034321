/** `Idempotency-Key`: a client that repeats does not send twice (V-19). */
import { afterEach, expect, test, vi } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { Repeats } from '../../src/http/repeats.js';
import { described } from '../helpers/described.js';
import { newGate } from '../helpers/gate.js';
import { cliFor, eventsUntil, hostOn, NONE, newKey } from '../helpers/hosts.js';

afterEach(() => void vi.useRealTimers());

function clientOf(script: Parameters<typeof cliFor>[0]) {
  const host = hostOn(cliFor(script));
  const handler = described(createHandler({ host, authenticate: (request) => request.headers.get('x-user') ?? 'ada' }));
  const post = async (path: string, body: object, key: string, user = 'ada') => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-user': user };
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await handler(request);
    return { status: response.status, location: response.headers.get('location'), body: await response.json() };
  };
  return { host, post };
}

test('a conversation is created once for a key, also when both requests are at once', async () => {
  const { host, post } = clientOf(NONE);
  const [one, two] = await Promise.all(['k', 'k'].map((key) => post('/conversations', { title: 'First' }, key)));
  expect(one?.status).toBe(201);
  expect(two).toEqual(one);
  expect(await post('/conversations', { title: 'First' }, 'k')).toEqual(one);
  expect((await host.list({ tenant: 'ada' })).conversations).toHaveLength(1);
});

test('a message is sent once for a key', async () => {
  const { host, post } = clientOf(({ turn }) => [turn('Hello.', 'Hi')]);
  const key = await newKey(host);
  const path = `/conversations/${key.id}/messages`;
  const [one, two] = await Promise.all(['m', 'm'].map((each) => post(path, { text: 'Hi' }, each)));
  expect([one?.status, one?.body]).toEqual([202, { eventId: 1 }]);
  expect(two).toEqual(one);
  const events = await eventsUntil(host, key, ({ event }) => event.type === 'turn_ended');
  expect(await post(path, { text: 'Hi' }, 'm')).toEqual(one);
  expect(events.filter(({ event }) => event.type === 'user_message')).toHaveLength(1);
});

test.each([
  ['another body', '/conversations', { title: 'Second' }, 'ada', 'k', 409],
  ['another path', '/conversations/x/messages', { title: 'First' }, 'ada', 'k', 400],
  ['another tenant', '/conversations', { title: 'First' }, 'bob', 'k', 201],
  ['a key with a space', '/conversations', { title: 'First' }, 'ada', 'k k', 400],
  ['a key that is too long', '/conversations', { title: 'First' }, 'ada', 'k'.repeat(256), 400],
] as const)('the same key with %s', async (_, path, body, user, key, status) => {
  const { host, post } = clientOf(NONE);
  const first = await post('/conversations', { title: 'First' }, 'k');
  const second = await post(path, body, key, user);
  expect(second.status).toBe(status);
  expect(second.body).not.toEqual(first.body);
  expect((await host.list({ tenant: 'ada' })).conversations).toHaveLength(1);
});

const requestWith = (key: string) =>
  new Request('http://localhost/x', { method: 'POST', headers: { 'idempotency-key': key } });

test('a refusal is not kept, and whoever waited for it hears of it', async () => {
  const repeats = new Repeats();
  const gate = newGate();
  const failing = async () => {
    await gate.pass();
    throw new Error('busy');
  };
  const both = [1, 2].map(() => repeats.answer(requestWith('k'), 'ada', {}, failing));
  await gate.reached;
  gate.open();
  for (const each of both) await expect(each).rejects.toThrow('busy');
  const answer = await repeats.answer(requestWith('k'), 'ada', {}, async () => new Response('done'));
  expect(await answer.text()).toBe('done');
});

test('keys are kept for ten minutes, and at most 1,000 of a tenant', async () => {
  vi.useFakeTimers();
  const repeats = new Repeats();
  let runs = 0;
  const ask = async (key: string, tenant = 'ada') => {
    const run = async () => {
      runs += 1;
      return new Response(String(runs));
    };
    return await (await repeats.answer(requestWith(key), tenant, {}, run)).text();
  };
  expect([await ask('a'), await ask('a')]).toEqual(['1', '1']);
  vi.advanceTimersByTime(599_999);
  expect(await ask('a')).toBe('1');
  vi.advanceTimersByTime(1);
  expect(await ask('a')).toBe('2');
  for (let count = 0; count < 1_000; count += 1) await ask(`other ${count}`.replace(' ', '-'), 'bob');
  expect(await ask('a')).toBe('2');
  for (let count = 0; count < 999; count += 1) await ask(`other-${count}`);
  expect([await ask('a'), await ask('other-0')]).toEqual(['2', '1003']);
  await ask('one-more');
  expect(await ask('other-0')).toBe('1003');
  expect(await ask('a')).not.toBe('2');
});
