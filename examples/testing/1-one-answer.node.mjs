/** Recipe 1, node:test: one question, one answer, over a real process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedCli } from 'claudewire/testing';
import { ask } from './app.mjs';

test('the answer is the text of the result', async (t) => {
  const cli = scriptedCli(({ turn }) => turn('Four.', 'What is 2 + 2?'));
  t.after(() => cli.close());

  assert.equal(await ask('What is 2 + 2?', { query: cli.query }), 'Four.');
  assert.deepEqual(cli.sent.prompts, ['What is 2 + 2?']);
});
