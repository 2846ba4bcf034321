import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { messagesApi } from '../../src/testing/index.js';

test('answers a model call, and says what was asked', async () => {
  await using api = await messagesApi(['Hello.']);
  const response = await fetch(`${api.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Calls that offer no tools are the CLI's small side calls, and take no turn.
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [], tools: [{ name: 'Bash' }] }),
  });
  expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }] });
  expect(api.requests).toMatchObject([{ path: '/v1/messages', body: { model: 'm' } }]);
  expect(api.remainingTurns).toBe(0);
});

test('the environment leads to it, and nowhere else', async () => {
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'mine');
  vi.stubEnv('CLAUDE_CODE_USE_BEDROCK', '1');
  vi.stubEnv('CLAUDECODE', '1');
  vi.stubEnv('KEPT', 'yes');
  const api = await messagesApi({ turns: [], fallback: 'Later.' });
  vi.unstubAllEnvs();
  expect(api.env).toMatchObject({
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'sk-ant-made-up',
    KEPT: 'yes',
    PATH: process.env.PATH,
  });
  const strange = Object.keys(api.env).filter((name) => /TOKEN$|BEDROCK|CLAUDECODE/.test(name));
  expect(strange).toEqual([]);
  const folder = api.env.CLAUDE_CONFIG_DIR ?? '';
  expect(existsSync(folder)).toBe(true);
  await api.close();
  await api.close();
  expect(existsSync(folder)).toBe(false);
});
