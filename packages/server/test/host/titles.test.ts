import { expect, test } from 'vitest';
import { titleOf } from '../../src/host/title.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { ask, cliFor, hostOn, newKey } from '../helpers/hosts.js';

const TURN: Parameters<typeof cliFor>[0] = ({ turn }) => [turn('Hello.'), turn('Hello again.')];

test('a conversation without a title is called by its first message, and keeps that name', async () => {
  const host = hostOn(cliFor(TURN));
  const key = await newKey(host);
  expect(await ask(host, key, '  Say hello.\nAnd no more.')).toBe('completed');
  expect(await ask(host, key, 'Again')).toBe('completed');
  expect(await host.get(key)).toMatchObject({ title: 'Say hello.' });
});

test('a title that was given is kept', async () => {
  const host = hostOn(cliFor(({ turn }) => turn('Hello.')));
  const { id } = await host.create({ tenant: 'ada', title: 'Mine' });
  await ask(host, { tenant: 'ada', id }, 'Say hello.');
  expect(await host.get({ tenant: 'ada', id })).toMatchObject({ title: 'Mine' });
});

test('a first turn that is abandoned while it waits for a permission leaves a conversation with a title', async () => {
  const cli = cliFor(({ prompt, init, toolUse, permission, expectRequest, errorResult }) => [
    ...[prompt(), init(), toolUse('Bash', { command: 'ls' }), permission(undefined, undefined, { expect: 'deny' })],
    expectRequest('interrupt'),
    errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
  ]);
  const host = hostOn(cli, { limits: { questionMs: 200, abandonMs: 400 } });
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: 'Run the tests' });
  expect((await host.list({ tenant: 'ada' })).conversations).toMatchObject([{ title: 'Run the tests', state: 'busy' }]);
  // A viewer from here on would be somebody who looks.
  const passive = await host.events({ ...key, after: eventId, isPassive: true });
  for await (const { event } of passive) if (event.type === 'turn_ended') break;
  expect((await host.list({ tenant: 'ada' })).conversations).toMatchObject([{ title: 'Run the tests' }]);
});

test('a title that cannot be stored does not cost the message, and is stored with the next one', async () => {
  const store = new InMemoryConversationStore();
  const update = store.update.bind(store);
  let isDown = true;
  store.update = async (key, changes) => {
    if (isDown && changes.title !== undefined) throw new Error('disk');
    await update(key, changes);
  };
  const host = hostOn(cliFor(TURN), { store });
  const key = await newKey(host);
  expect(await ask(host, key, 'First')).toBe('completed');
  expect([(await host.get(key)).title, host.metrics().storeFailures]).toEqual([undefined, 1]);
  isDown = false;
  expect(await ask(host, key, 'Second')).toBe('completed');
  expect((await host.get(key)).title).toBe('Second');
});

test.each([
  ['a line\nand another', 'a line'],
  ['\n\n  first \u2028 second', 'first'],
  ['x'.repeat(200), 'x'.repeat(60)],
  [`${'x'.repeat(59)}\u{1F600}y`, `${'x'.repeat(59)}\u{1F600}`],
])('the title of %j is %j', (text, title) => {
  expect(titleOf(text)).toBe(title);
});
