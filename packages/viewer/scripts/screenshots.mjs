/**
 * Makes the pictures of docs/viewer.md: a session with a sub-agent, hooks and permissions, and one that fails, in light
 * and dark. `npm run build` comes before. CHROMIUM names another browser.
 *
 *   node packages/viewer/scripts/screenshots.mjs
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const docs = fileURLToPath(new URL('../docs/', import.meta.url));

const PICTURES = [
  { name: 'light', recording: 'hooks-all-events', scheme: 'light', keys: [], pick: 'request/hook_callback' },
  { name: 'dark', recording: 'subagent-partial', scheme: 'dark', keys: [], pick: 'stream/delta' },
  { name: 'failure', recording: 'api-529-exhausted', scheme: 'light', keys: ['e'] },
  { name: 'failure-dark', recording: 'tool-errors', scheme: 'dark', keys: ['n', 'n'] },
  {
    name: 'narrow',
    recording: 'can-use-tool-parallel',
    scheme: 'light',
    keys: [],
    width: 800,
    pick: 'request/can_use_tool',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'claudewire-viewer-pictures-'));
mkdirSync(docs, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  for (const { name, recording, scheme, keys, pick, width = 1280 } of PICTURES) {
    const html = join(folder, `${name}.html`);
    const source = join(root, `test/fixtures/recordings/${recording}.jsonl`);
    const cli = join(root, 'dist/bin/claudewire.js');
    await execa(process.execPath, [cli, 'view', source, '--out', html, '--no-open'], { stdin: 'ignore' });
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 820 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(html).href);
    await page.locator('html[data-ready]').waitFor();
    await page.locator('#list').focus();
    for (const key of keys) await page.keyboard.press(key);
    if (pick !== undefined) await page.locator('#rows .row', { hasText: pick }).first().click();
    await page.locator('#details .tree').waitFor();
    await page.screenshot({ path: join(docs, `viewer-${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
