import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ClaudeClient, query } from '../../src/index.js';
import { sweepNowAndThen } from '../../src/util/stale-directories.js';
import { turn } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';

vi.mock('../../src/util/stale-directories.js', async (original) => ({
  ...(await original<typeof import('../../src/util/stale-directories.js')>()),
  sweepNowAndThen: vi.fn(),
}));

beforeEach(() => vi.mocked(sweepNowAndThen).mockClear());

test.each([
  ['answers', {}, 60_000],
  ['does not answer', { initialize: null }, 0],
])('a run sweeps stale folders when it is over, if the CLI %s', async (_, answers, initializeTimeoutMs) => {
  const cli = scriptedCli(turn(), { answers });
  const options = { pathToClaudeCodeExecutable: cli.path, initializeTimeoutMs };
  await expect(lastOf(query({ prompt: 'Go.', options }))).resolves.toMatchObject({ type: 'result' });
  // Twice where the run takes more than the second after which one sweeps anyway.
  await vi.waitFor(() => expect(sweepNowAndThen).toHaveBeenCalled());
});

test('a run that goes on sweeps a second after its start', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const cli = scriptedCli(turn());
  const client = new ClaudeClient({ pathToClaudeCodeExecutable: cli.path });
  await client.connect();
  vi.advanceTimersByTime(999);
  expect(sweepNowAndThen).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(sweepNowAndThen).toHaveBeenCalledTimes(1);
  await client.disconnect();
});

async function lastOf(messages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const message of messages) last = message;
  return last;
}
