import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { renderPage, type ViewSource } from '../../src/index.js';
import { template } from '../helpers/template.js';

let browser: Browser;
let folder: string;

/** One browser for a file of tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'claudewire-viewer-'));
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

export interface OpenOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport'> {
  readonly permissions?: string[];
}

/** A page that is ready. Nothing violates its policy, asks for anything or fails by the end of the test. */
export async function openAddress(address: string, options: OpenOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  const wrong: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error' || /content.security.policy|violates/i.test(message.text()))
      wrong.push(message.text());
  });
  context.on('weberror', (error) => wrong.push(String(error.error())));
  context.on('request', (request) => {
    if (!request.url().startsWith(address)) wrong.push(`asked for ${request.url()}`);
  });
  context.on('dialog', (dialog) => {
    wrong.push(dialog.message());
    void dialog.dismiss();
  });
  await context.addInitScript("addEventListener('securitypolicyviolation', () => console.error('violates a policy'))");
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  await page.goto(address);
  await page.locator('html[data-ready]').waitFor();
  return page;
}

/** The page of a source, as a file. */
export async function openSource(source: ViewSource, options: OpenOptions = {}): Promise<Page> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  const html = await renderPage(source, { template: await template(), env: {}, cwd: '/nowhere' });
  writeFileSync(file, html);
  return openAddress(pathToFileURL(file).href, options);
}

/** Texts of the rows in view, in order. */
export const rowTexts = (page: Page): Promise<string[]> =>
  page.locator('#rows .row:not([hidden]) .said').allTextContents();

export const currentFrame = (page: Page): Promise<string | null> => page.locator('#rows .row.current .n').textContent();
