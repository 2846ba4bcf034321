/**
 * The rows of "What survives" in the README and in docs/web-server.md. A host with stores in files is killed for real in
 * `npm run bench:server`, part `killed host`.
 */
import { faults } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { deferring, RESUMED, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';

test('a browser that goes away loses nothing: it reads on after its last event', async () => {
  const host = hostOn(cliFor(({ turn }) => [turn('One.', '1'), turn('Two.', '2')]));
  const key = await newKey(host);
  const viewer = await host.events(key);
  await ask(host, key, '1');
  const first = (await viewer.next()).value;
  await viewer.return?.();
  await ask(host, key, '2');
  const rest = await eventsUntil(host, key, ({ id }) => id === 10, first?.id);
  expect(rest.map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a process that ends takes its turn and its question with it, and nothing else', async () => {
  const { cwd, options } = await sharedStores({ needsApproval: () => false });
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'toolu_1' };
  const question = { type: 'control_request', request_id: 'p1', request };
  const cli = cliFor(({ process, turn, prompt, init, pause }) => [
    [process(), turn('One.', '1'), prompt('2'), init(), question, pause(20), faults.crash()],
    [process(RESUMED), turn('Three.', '3')],
  ]);
  const host = hostOn(cli, options, cwd);
  const key = await newKey(host);
  await ask(host, key, '1');
  const before = await turnOf(host, key);
  const { eventId } = await host.send({ ...key, text: '2' });
  const crashed = await turnOf(host, key, eventId);
  expect(crashed.map(({ event }) => event).slice(-3)).toMatchObject([
    { type: 'question', toolUseId: 'toolu_1' },
    { type: 'question_closed', answer: 'withdrawn' },
    { type: 'turn_ended', outcome: 'crashed' },
  ]);
  expect(host.metrics().openQuestions).toBe(0);
  expect(await turnOf(host, key)).toEqual(before);
  expect(await host.transcript(key)).toHaveLength(1);
  expect(await ask(host, key, '3')).toBe('completed');
  expect(host.metrics()).toMatchObject({ started: 2, resumed: 1 });
});

test('an approval outlives its process, and its host where its store does', async () => {
  const { cwd, options } = await sharedStores();
  const cli = cliFor((kit) => [kit.process(), ...deferring(kit)]);
  const one = hostOn(cli, options, cwd);
  const key = await newKey(one);
  expect(await ask(one, key, 'Deploy')).toBe('deferred');
  await expect.poll(() => one.metrics().processes).toBe(0);
  expect(await one.approvals(key)).toMatchObject([{ state: 'open' }]);
  await one.close();
  const two = hostOn(cliFor(NONE), options, cwd);
  expect(await two.approvals(key)).toMatchObject([{ state: 'open', token: expect.any(String) }]);
});

test('with stores in memory everything ends with the host', async () => {
  const one = hostOn(cliFor(({ turn }) => [turn('One.', '1')]));
  const key = await newKey(one);
  await ask(one, key, '1');
  await one.close();
  const two = hostOn(cliFor(NONE));
  expect(await two.list({ tenant: 'ada' })).toEqual({ conversations: [] });
  await expect(two.events(key)).rejects.toMatchObject({ code: 'not_found' });
});
