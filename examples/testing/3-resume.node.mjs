/** Recipe 3, node:test: a conversation over several processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedCli } from 'claudewire/testing';
import { Conversation } from './app.mjs';

test('the second question resumes the session of the first', async (t) => {
  const cli = scriptedCli(
    ({ process, turn, sessionId }) => [
      process({ argv: { '--resume': '$absent' } }),
      turn('Hello, Ada.', 'I am Ada.'),
      process({ argv: { '--resume': sessionId } }),
      turn('You are Ada.', 'Who am I?'),
    ],
    { inProcess: true },
  );
  t.after(() => cli.close());

  const first = new Conversation({ query: cli.query });
  await first.say('I am Ada.');
  const second = new Conversation({ query: cli.query, sessionId: first.sessionId });
  assert.equal(await second.say('Who am I?'), 'You are Ada.');
});
