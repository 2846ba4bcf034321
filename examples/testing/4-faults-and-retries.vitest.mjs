/** Recipe 4, vitest: failures, and pauses that take no time. */
import { scriptedCli, virtualTime } from 'claudewire/testing';
import { expect, onTestFinished, test } from 'vitest';
import { askPatiently } from './app.mjs';

test('waits until the limit resets, and then asks again', async () => {
  const time = virtualTime();
  onTestFinished(() => time.restore());
  const resetsAt = new Date(Date.now() + 3_600_000);
  const cli = scriptedCli(
    ({ process, prompt, outcome, turn }) => [
      [process(), prompt(), outcome.rateLimited({ resetsAt })],
      [process(), prompt(), outcome.overloaded({ retries: 1, retryDelayMs: 5_000 })],
      [process(), turn('At last.')],
    ],
    { inProcess: true },
  );
  onTestFinished(() => cli.close());

  expect(await time.until(askPatiently('Well?', { query: cli.query }))).toBe('At last.');
  expect(Math.round(time.elapsedMs / 60_000)).toBe(60);
});

test('a crash is no reason to ask again', async () => {
  const cli = scriptedCli(
    ({ prompt, outcome }) => [prompt(), outcome.crashed({ exitCode: 137, stderr: 'killed' })],
    { inProcess: true },
  );
  onTestFinished(() => cli.close());

  await expect(askPatiently('Well?', { query: cli.query })).rejects.toThrow(/^crashed: .*137/);
});
