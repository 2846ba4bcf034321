import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordingOf } from '../helpers/recordings.js';
import { run, tempFolder } from '../helpers/view-host.js';
import { openAddress, rowTexts, useBrowser } from './browser.js';

useBrowser();

const err = (text: string): string => `${JSON.stringify({ t: 1, dir: 'err', data: text })}\n`;

test('a page that follows shows what comes, with its body, and says that it is live', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]));
  const { out, stop, code } = await run({ source: file, follow: true });
  onTestFinished(async () => {
    stop();
    await code;
  });
  await expect.poll(out).toContain('\n');
  const page = await openAddress(out().trim());
  await page.locator('#live', { hasText: 'live' }).waitFor();
  appendFileSync(file, err('a line that came later'));
  await page.locator('#rows .row', { hasText: 'a line that came later' }).click();
  await page.locator('#details pre', { hasText: 'a line that came later' }).waitFor();
  writeFileSync(file, recordingOf([]));
  await expect.poll(() => rowTexts(page)).toEqual(['made: made by a test']);
});
