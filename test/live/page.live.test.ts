import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  createHandler,
  createSessionHost,
  InMemoryConversationStore,
  serve,
  type TenantOptions,
} from '../../packages/server/src/index.js';
import { InMemorySessionStore } from '../../src/index.js';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';
import { TOUCH } from './support/turns.js';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const isAllowedToBeMissing = process.env.ALLOW_NO_CHROMIUM === '1' && !existsSync(executablePath);

// `npm run test:page` installs the browser, and has everything that needs no Claude Code.
test.skipIf(isAllowedToBeMissing)('in a browser: streams text, asks before a tool runs, and resumes', async () => {
  const stage = await setStage(CURRENT, { turns: [TOUCH, 'It is made.', 'You are welcome.'] });
  const home = join(stage.folder, 'tenant');
  mkdirSync(home);
  const host = createSessionHost({
    ...{ store: new InMemoryConversationStore(), sessionStore: new InMemorySessionStore() },
    limits: { idleMs: 0 },
    optionsFor: () => stage.options({ includePartialMessages: true }, { CLAUDE_CONFIG_DIR: home }) as TenantOptions,
  });
  const server = await serve({ handler: createHandler({ host, page: true }), port: 0 });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    const wrong: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && wrong.push(message.text())));
    page.on('pageerror', (error) => wrong.push(String(error)));
    await page.goto(server.url);
    const say = async (text: string): Promise<void> => {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
    };
    const ready = () => page.locator('#status[data-state="ready"]', { hasText: 'Ready' }).waitFor();
    await say('Make the file.');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(existsSync(join(stage.cwd, 'made.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.locator('.said', { hasText: 'It is made.' }).waitFor();
    await ready();
    expect(existsSync(join(stage.cwd, 'made.txt'))).toBe(true);
    await expect.poll(() => host.metrics().processes).toBe(0);
    await page.reload();
    await say('Thank you.');
    await page.locator('.said', { hasText: 'You are welcome.' }).waitFor();
    await ready();
    expect(await page.locator('.said').allTextContents()).toEqual([
      ...['Make the file.', 'It is made.'],
      ...['Thank you.', 'You are welcome.'],
    ]);
    expect(await page.locator('.tool').getAttribute('data-state')).toBe('done');
    expect(await page.locator('#cost').textContent()).toMatch(/^\$\d/);
    expect(host.metrics()).toMatchObject({ started: 2, resumed: 1 });
    expect(wrong).toEqual([]);
  } finally {
    await browser.close();
    await host.close();
    await server.close();
  }
});
