import { faults } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { ask, cliFor, hostOn, newKey, turnOf } from '../helpers/hosts.js';

// As in the recording `subagent-eof`: two results in a row, the second of a turn after a background task.
test('a result that comes late does not end the turn after it', async () => {
  const cli = cliFor(({ turn, prompt, init, assistantText, result }) => [
    turn('One.', '1'),
    ...[prompt('2'), result('Late.'), init(), assistantText('Two.'), result('Two.')],
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  expect(await ask(host, key, '1')).toBe('completed');
  const { eventId } = await host.send({ ...key, text: '2' });
  const events = (await turnOf(host, key, eventId)).map(({ event }) =>
    event.type === 'message' ? event.message.type : event.type,
  );
  expect(events).toEqual(['result', 'system', 'assistant', 'result', 'turn_ended']);
});

test('a result that comes late says nothing about a turn whose process crashes', async () => {
  const cli = cliFor(({ turn, prompt, init, result }) => [
    turn('One.', '1'),
    ...[prompt('2'), result('Late.'), init(), faults.crash({ exitCode: 1 })],
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  expect(await ask(host, key, '1')).toBe('completed');
  expect(await ask(host, key, '2')).toBe('crashed');
});

test('a crash is not taken for the failure of the turn before', async () => {
  const cli = cliFor(({ prompt, init, errorResult }) => [
    ...[prompt('1'), init(), errorResult('error_max_turns')],
    ...[prompt('2'), init(), faults.crash({ exitCode: 1 })],
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  expect(await ask(host, key, '1')).toBe('max_turns');
  expect(await ask(host, key, '2')).toBe('crashed');
});

test('a process that says only why it cannot work ends its first turn', async () => {
  const cli = cliFor(({ prompt, errorResult }) => [
    prompt('1'),
    errorResult('error_during_execution', ['No sandbox.']),
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  expect(await ask(host, key, '1')).not.toBe('completed');
});
