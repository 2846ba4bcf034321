import { expect, test, vi } from 'vitest';
import { query } from '../../src/index.js';
import { sweepNowAndThen } from '../../src/util/stale-directories.js';
import { turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';

vi.mock('../../src/util/stale-directories.js', async (original) => ({
  ...(await original<typeof import('../../src/util/stale-directories.js')>()),
  sweepNowAndThen: vi.fn(),
}));

test.each([
  ['answers', {}, 60_000],
  ['does not answer', { initialize: null }, 0],
])('a run sweeps stale folders once, when the CLI %s', async (_, answers, initializeTimeoutMs) => {
  vi.mocked(sweepNowAndThen).mockClear();
  const cli = scriptedCli(turn(), { answers });
  const options = { pathToClaudeCodeExecutable: cli.path, initializeTimeoutMs };
  await expect(lastOf(query({ prompt: 'Go.', options }))).resolves.toMatchObject({ type: 'result' });
  await vi.waitFor(() => expect(sweepNowAndThen).toHaveBeenCalledTimes(1));
});

async function lastOf(messages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const message of messages) last = message;
  return last;
}
