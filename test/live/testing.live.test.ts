import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { outcomeOf, query, type SDKMessage } from '../../src/index.js';
import { messagesApi, recordOnce } from '../../src/testing/index.js';
import { BOTH, CURRENT } from './support/clis.js';

/** What `claudewire/testing` promises about the real CLI. */

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'live-testing-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function answerOf(run: AsyncIterable<SDKMessage>): Promise<string> {
  const messages: SDKMessage[] = [];
  for await (const message of run) messages.push(message);
  return outcomeOf(messages).message;
}

describe.each(BOTH)('the CLI $version', ({ path }) => {
  test('runs on messagesApi() with no key, and asks nothing else', async () => {
    await using api = await messagesApi(['Hello.']);
    const options = { pathToClaudeCodeExecutable: path, cwd: folder, env: { ...api.env } };
    expect(await answerOf(query({ prompt: 'Hi', options }))).toBe('Hello.');
    expect(api.remainingTurns).toBe(0);
    expect(existsSync(join(api.env.CLAUDE_CONFIG_DIR ?? '', 'projects'))).toBe(true);
  });
});

test('what recordOnce() recorded replays without the CLI', async () => {
  const file = join(folder, 'run.jsonl');
  vi.stubEnv('CI', undefined);
  vi.stubEnv('CLAUDEWIRE_RECORD', '1');
  {
    await using api = await messagesApi(['Recorded.']);
    await using cli = recordOnce(file, { cli: CURRENT.path });
    const options = { cwd: folder, env: { ...api.env } };
    expect(await answerOf(cli.query({ prompt: 'Hi', options }))).toBe('Recorded.');
  }
  vi.stubEnv('CI', '1');
  await using cli = recordOnce(file, { inProcess: true });
  expect(cli.mode).toBe('replay');
  expect(await answerOf(cli.query({ prompt: 'Hi' }))).toBe('Recorded.');
});
