/** Many tabs of one browser, which allows six connections to a server over HTTP/1.1 (V-4). */
import { expect, test } from 'vitest';
import { ready, saidOn, send, siteOn, useBrowser } from './browser.js';

useBrowser();

const TABS = 12;

test('twelve tabs show one conversation, over one stream, and each of them can send, answer and stop', async () => {
  const { page, host, context } = await siteOn(
    ({ prompt, init, toolUse, permission, toolResult, assistantText, result, expectRequest, errorResult }) => [
      ...[prompt('Begin'), init(), assistantText('One.'), result('One.')],
      ...[prompt('Run it'), init(), toolUse('Bash', { command: 'npm test' }), permission()],
      ...[toolResult('fine'), assistantText('Two.'), result('Two.')],
      ...[prompt('Wait'), init(), assistantText('Three.'), expectRequest('interrupt')],
      errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
    ],
  );
  await send(page, 'Begin');
  await ready(page);
  const tabs = [page];
  for (let count = 1; count < TABS; count += 1) {
    const tab = await context.newPage();
    await tab.goto(page.url());
    await tab.locator('.said', { hasText: 'One.' }).waitFor();
    tabs.push(tab);
  }
  expect(host.metrics().viewers).toBe(1);
  const last = tabs.at(-1)!;
  await send(last, 'Run it');
  await Promise.all(tabs.map((tab) => tab.locator('.question[data-state="open"]').waitFor()));
  await tabs[5]!.getByRole('button', { name: 'Allow' }).click();
  await Promise.all(tabs.map((tab) => tab.locator('.said', { hasText: 'Two.' }).waitFor()));
  await Promise.all(tabs.map(ready));
  await send(tabs[6]!, 'Wait');
  await Promise.all(tabs.map((tab) => tab.locator('.said', { hasText: 'Three.' }).waitFor()));
  await last.getByRole('button', { name: 'Stop' }).click();
  await Promise.all(tabs.map((tab) => tab.locator('.note', { hasText: 'interrupted' }).waitFor()));
  for (const tab of tabs) expect(await saidOn(tab)).toEqual(['Begin', 'One.', 'Run it', 'Two.', 'Wait', 'Three.']);
  for (const tab of tabs.slice(1)) await tab.close();
  await page.goto('about:blank');
  await expect.poll(() => host.metrics().viewers).toBe(0);
});

test('tabs with conversations of their own take turns, and no more than two streams are open', async () => {
  const { page, host, context, url } = await siteOn(({ process, turn }) =>
    Array.from({ length: 8 }, (_, at) => [process(), turn(`Answer ${at}.`)]),
  );
  const tabs = [page];
  for (let count = 1; count < 8; count += 1) tabs.push(await context.newPage());
  let most = 0;
  for (const [at, tab] of tabs.entries()) {
    if (at > 0) await tab.goto(url);
    await send(tab, `Question ${at}`);
    await tab.locator('.said', { hasText: `Answer ${at}.` }).waitFor();
    most = Math.max(most, host.metrics().viewers);
  }
  await Promise.all(tabs.map(ready));
  expect(most).toBeLessThanOrEqual(2);
});

test.each([
  ['without shared workers', 'delete globalThis.SharedWorker'],
  ['whose shared workers fail', "globalThis.SharedWorker = class { constructor() { throw new Error('no') } }"],
])('a browser %s has the page all the same', async (_, script) => {
  const { page, context, url } = await siteOn(({ turn }) => turn('Hello.'));
  await context.addInitScript(script);
  await page.goto(`${url}/#`);
  await page.reload();
  await send(page, 'Hi');
  await page.locator('.said', { hasText: 'Hello.' }).waitFor();
  await ready(page);
});

test('a stream that gets no connection is shown, and so is a request that fails', async () => {
  const { page, context, stop, start } = await siteOn(({ turn }) => turn('Hello.'));
  await send(page, 'Hi');
  await ready(page);
  await stop();
  await page.locator('#status', { hasText: 'Reconnecting' }).waitFor();
  await send(page, 'Are you there?');
  await page.locator('#problem', { hasText: 'cannot be reached' }).waitFor();
  expect(await page.locator('#text').inputValue()).toBe('Are you there?');
  await start();
  await ready(page);
  // Playwright cannot hold back what a worker asks for, so the stream is held back where it is asked for.
  await context.addInitScript(
    'globalThis.SharedWorker = undefined; globalThis.EventSource = class { addEventListener() {} close() {} }',
  );
  await page.reload();
  await page.locator('#status', { hasText: 'Connecting' }).waitFor();
});
