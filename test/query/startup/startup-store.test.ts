import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { InMemorySessionStore, startup } from '../../../src/index.js';
import { initFrame, resultFrame, SESSION_ID } from '../../helpers/cli-frames.js';
import { scriptedCli } from '../../helpers/scripted-cli.js';
import { drain } from './memory-cli.js';

test('a stored session is resumed by the warm process, and its folder goes with it', async () => {
  const cli = scriptedCli([{ in: { type: 'user' } }, { out: initFrame() }, { out: resultFrame() }, { wait: 'EOF' }]);
  const sessionStore = new InMemorySessionStore();
  const entry = { type: 'user', uuid: 'u1', sessionId: SESSION_ID, message: { role: 'user' } };
  const asked: unknown[] = [];
  sessionStore.load = async (key) => {
    asked.push(key.sessionId);
    return 'subpath' in key ? null : [entry];
  };
  const warm = await startup({ options: { pathToClaudeCodeExecutable: cli.path, sessionStore, resume: SESSION_ID } });
  expect(await drain(warm.query('Go on.'))).toEqual(['system', 'result', 'end']);
  const { argv, env } = cli.log();
  expect(asked[0]).toBe(SESSION_ID);
  expect(argv).toContain(`--resume=${SESSION_ID}`);
  expect(env.CLAUDE_CONFIG_DIR).toMatch(/claudewire-/);
  await expect.poll(() => existsSync(env.CLAUDE_CONFIG_DIR ?? '')).toBe(false);
});
