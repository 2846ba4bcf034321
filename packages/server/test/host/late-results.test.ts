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

// As 2.1.330 does when it resumes a session whose background command ended with the process before.
test('what a process says of tasks that were cut does not end the turn of the message', async () => {
  const cut = { task_id: 'b1', status: 'stopped' as const, output_file: '', summary: 'It did not finish.' };
  const cli = cliFor(({ prompt, init, systemMessage, assistantText, result }) => [
    ...[prompt('And?'), systemMessage('task_notification', cut), init(), result('', { num_turns: 0 })],
    ...[init(), assistantText('I see.'), result('I see.')],
  ]);
  const host = hostOn(cli);
  const key = await newKey(host);
  const { eventId } = await host.send({ ...key, text: 'And?' });
  const events = await turnOf(host, key, eventId);
  expect(JSON.stringify(events)).toContain('I see.');
  expect(events.at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
});
