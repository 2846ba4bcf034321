/** Recipe 2, vitest: what the program's permission callback and hook decide. */
import { assertSent, scriptedCli } from 'claudewire/testing';
import { expect, onTestFinished, test } from 'vitest';
import { tidyUp } from './app.mjs';

test('nothing is deleted, and what ran is noted', async () => {
  const cli = scriptedCli(
    ({ prompt, init, toolUse, permission, toolResult, hook, result }) => [
      prompt('Tidy up.'),
      init(),
      toolUse('Bash', { command: 'rm -r build' }),
      permission(),
      toolResult('Nothing is deleted here.', { isError: true }),
      toolUse('Bash', { command: 'mv a.txt docs/' }),
      permission(),
      hook('PostToolUse', { tool_response: 'ok' }),
      toolResult('ok'),
      result('Tidy.'),
    ],
    { inProcess: true },
  );
  onTestFinished(() => cli.close());

  expect(await tidyUp({ query: cli.query })).toEqual(['Bash: mv a.txt docs/']);
  assertSent(cli.sent, {
    permissionAnswers: [
      { input: { command: 'rm -r build' }, behavior: 'deny' },
      { input: { command: 'mv a.txt docs/' }, behavior: 'allow' },
    ],
    hookOutputs: [{ event: 'PostToolUse', output: { continue: true } }],
  });
});
