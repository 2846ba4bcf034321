/** Recipe 5, node:test: the real CLI's behaviour, recorded once and replayed from then on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOnce } from 'claudewire/testing';
import { tidyUp } from './app.mjs';

// To record anew: delete the file, and run with CLAUDEWIRE_RECORD=1 and CLAUDE_CODE_EXECUTABLE=path/of/claude.
const recording = new URL('./recordings/tidy-up.jsonl', import.meta.url);

test('what the real CLI made of the answers of the program', async (t) => {
  const cli = recordOnce(recording, { inProcess: true });
  t.after(() => cli.close());

  assert.deepEqual(await tidyUp({ query: cli.query }), ['Bash: mkdir -p docs']);
});
