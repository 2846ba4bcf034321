import { expect, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { cliFor, hostOn } from '../helpers/hosts.js';
import { MOUNTS, mountedServer } from '../helpers/mounts.js';
import { ready, saidOn, send, useBrowser, watchedPage } from './browser.js';

useBrowser();

test.each(Object.keys(MOUNTS))('by %s the page works under a prefix, also without its slash', async (name) => {
  const cli = cliFor(
    ({ prompt, init, assistantText, toolUse, permission, toolResult, result }) => [
      ...[prompt(), init(), toolUse('Bash', { command: 'npm test' }), permission()],
      ...[toolResult('42 tests passed'), assistantText('That is done.'), result('That is done.')],
    ],
    { stepTimeoutMs: 100_000, deadlineMs: 0 },
  );
  const host = hostOn(cli);
  const server = await mountedServer(MOUNTS[name]!(createHandler({ host, page: true })));
  const { page } = await watchedPage(`${server.url}?from=link#`, 'light', async () => {
    await host.close();
    await server.close();
  });
  await page.waitForURL(`${server.url}/?from=link#`);
  await send(page, 'Run the tests');
  await page.getByRole('button', { name: 'Allow' }).click();
  await ready(page);
  await page.reload();
  await page.locator('.said', { hasText: 'That is done.' }).waitFor();
  expect(await saidOn(page)).toEqual(['Run the tests', 'That is done.']);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('link', { name: 'Run the tests' }).click();
  await page.locator('.said', { hasText: 'That is done.' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/claude/');
});
