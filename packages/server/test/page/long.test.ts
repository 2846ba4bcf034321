/** Long conversations: what is shown, and how often it is laid out. Times: `npm run bench:page` (V-15, V-16). */
import { expect, test } from 'vitest';
import { history } from '../helpers/history.js';
import { NONE } from '../helpers/hosts.js';
import { ready, saidOn, siteOn, useBrowser } from './browser.js';

useBrowser();

async function pageOf(options: Parameters<typeof history>[0]) {
  const past = await history(options);
  const site = await siteOn(NONE, 'light', past.options, past.cwd);
  await site.page.goto(`${site.url}/#${past.key.id}`);
  return { ...site, ...past };
}

const atEnd =
  '(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 80)(document.getElementById("log"))';

test('what was streamed is replayed as whole messages, each once, and the end is in sight', async () => {
  const { page, said } = await pageOf({ turns: 50, answers: 3, deltas: 20 });
  await page.locator('.said', { hasText: said.at(-1)! }).waitFor();
  await ready(page);
  expect(await saidOn(page)).toEqual(said);
  await page.waitForFunction(atEnd);
});

test.each([
  [1_500, 300, 1],
  [600, 1_000, 3],
  [800, 37, 2],
])(
  'of %i turns the log kept %i events: the newest are there at once, the others on demand, none twice',
  async (turns, maxEvents, answers) => {
    const { page, said } = await pageOf({ turns, answers, maxEvents });
    await page.locator('.said', { hasText: said.at(-1)! }).waitFor();
    const more = page.getByRole('button', { name: 'Show earlier messages' });
    await more.waitFor();
    const first = await saidOn(page);
    expect(first).toEqual(said.slice(-first.length));
    expect(first.length).toBeGreaterThanOrEqual(500);
    while ((await more.count()) > 0) await more.click();
    expect(await saidOn(page)).toEqual(said);
  },
);

test('events that were lost in the middle come from the transcript', async () => {
  const { page, said, key, options } = await pageOf({ turns: 4 });
  await page.locator('.said', { hasText: said.at(-1)! }).waitFor();
  await options.eventLog.append(key, [
    { type: 'events_dropped', before: 13 },
    { type: 'user_message', text: 'More' },
  ]);
  await page.reload();
  await page.locator('.said', { hasText: 'More' }).waitFor();
  await page.locator('.said', { hasText: said[0]! }).waitFor();
  expect(await saidOn(page)).toEqual([...said, 'More']);
});
