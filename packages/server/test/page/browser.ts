import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import type { SessionHost } from '../../src/host/session-host.js';
import { createHandler } from '../../src/http/handler.js';
import { type RunningServer, serve } from '../../src/http/serve.js';
import { cliFor, hostOn } from '../helpers/hosts.js';

let browser: Browser;

/** One browser for a file of tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  afterAll(() => browser.close());
}

export interface Site {
  readonly host: SessionHost;
  readonly url: string;
  readonly page: Page;
  readonly context: BrowserContext;
  /** The server goes away. What it serves stays. */
  stop(): Promise<void>;
  /** It is back, on the same port. */
  start(): Promise<void>;
}

/** The page of a host on a script, as {@link watchedPage}. */
export async function siteOn(
  script: Parameters<typeof cliFor>[0],
  colorScheme: 'light' | 'dark' = 'light',
  options: Partial<SessionHostOptions> = {},
  cwd?: string,
): Promise<Site> {
  const cli = cliFor(script, { stepTimeoutMs: 100_000, deadlineMs: 0 });
  const host = hostOn(cli, options, cwd);
  const handler = createHandler({ host, page: true, retryMs: 50 });
  let server: RunningServer = await serve({ handler, port: 0 });
  const { url } = server;
  const { page, context } = await watchedPage(url, colorScheme, async () => {
    await host.close();
    await server.close();
  });
  return {
    ...{ host, url, page, context },
    stop: () => server.close(),
    start: async () => {
      server = await serve({ handler, port: Number(new URL(url).port) });
    },
  };
}

/**
 * A page that is open. By the end of the test it has violated no policy, and no script of it has failed.
 *
 * @param close - Ends what it is of.
 */
export async function watchedPage(
  url: string,
  colorScheme: 'light' | 'dark',
  close: () => Promise<void>,
): Promise<Pick<Site, 'page' | 'context'>> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1100, height: 840 } });
  const wrong: string[] = [];
  context.on('console', (message) => {
    if (/content.security.policy|violates/i.test(message.text())) wrong.push(message.text());
  });
  context.on('weberror', (error) => wrong.push(String(error.error())));
  await context.addInitScript("addEventListener('securitypolicyviolation', () => console.error('violates a policy'))");
  context.on('dialog', (dialog) => {
    wrong.push(dialog.message());
    void dialog.dismiss();
  });
  onTestFinished(async () => {
    await context.close();
    await close();
    expect(wrong).toEqual([]);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return { page, context };
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
}

export async function ready(page: Page): Promise<void> {
  await page.locator('#status[data-state="ready"]', { hasText: 'Ready' }).waitFor();
}

/** What is said, in order. */
export const saidOn = (page: Page) => page.locator('.said').allTextContents();

/** For the README: written where PAGE_PICTURES says, if it does. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGE_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
