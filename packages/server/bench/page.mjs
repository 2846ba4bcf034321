/**
 * How fast the page is in a headless Chromium: figures, not judged.
 *
 *   npm run bench:page -- [--server FILE]
 *
 * - `messages`, `deltas`: from the navigation to the frame that shows the last of 10,000 messages; of 2,000 messages that were
 *   streamed in 25 deltas each.
 * - `flood`: 3,000 messages, 500 a second, into an open page: how long after it was stored each was on the screen.
 *
 * `--server` names the entry of another build, to compare with. CHROMIUM names another browser.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { InMemorySessionStore } from 'claudewire';
import { chromium } from 'playwright-core';

const { values } = parseArgs({ options: { server: { type: 'string' } } });
const entry = values.server ? pathToFileURL(resolve(values.server)).href : new URL('../dist/index.js', import.meta.url);
const { createHandler, createSessionHost, InMemoryConversationStore, InMemoryEventLog, serve } = await import(entry);

const delta = (event) => ({
  type: 'message',
  message: { type: 'stream_event', uuid: randomUUID(), parent_tool_use_id: null, event },
});
const say = (text) => ({
  type: 'message',
  message: {
    ...{ type: 'assistant', uuid: randomUUID(), parent_tool_use_id: null },
    message: { role: 'assistant', content: [{ type: 'text', text }] },
  },
});

function* talk(turns, deltas) {
  for (let turn = 0; turn < turns; turn += 1) {
    yield { type: 'user_message', text: `Question ${turn}` };
    const text = `Answer ${turn}. ${'And so it goes on for a while. '.repeat(8)}`;
    if (deltas > 0) yield delta({ type: 'content_block_start', content_block: { type: 'text', text: '' } });
    for (let count = 0; count < deltas; count += 1) {
      yield delta({
        type: 'content_block_delta',
        delta: { type: 'text_delta', text: text.slice(count * 10, count * 10 + 10) },
      });
    }
    yield say(text);
    if (deltas > 0) yield delta({ type: 'content_block_stop' });
    yield { type: 'turn_ended', outcome: 'completed' };
  }
}

/** A log that says when something was appended, as one of another host does. */
class WatchedLog extends InMemoryEventLog {
  pollMs = 60_000;
  #onAppend = () => {};

  async append(...given) {
    const logged = await super.append(...given);
    this.#onAppend();
    return logged;
  }

  async watch(_, onAppend) {
    this.#onAppend = onAppend;
    return () => {};
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cw-page-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});

async function measured(events, task) {
  const store = new InMemoryConversationStore();
  const eventLog = new WatchedLog({ maxEvents: 1e6, maxBytes: 1e9 });
  const sessionStore = new InMemorySessionStore();
  const optionsFor = () => ({ cwd: folder, env: { CLAUDE_CONFIG_DIR: folder } });
  const host = createSessionHost({ store, sessionStore, eventLog, optionsFor });
  const server = await serve({ handler: createHandler({ host, page: true }), port: 0 });
  const { id } = await host.create({ tenant: 'local', title: 'Bench' });
  const key = { tenant: 'local', id };
  await eventLog.append(key, [...events]);
  const context = await browser.newContext({ viewport: { width: 1100, height: 840 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  try {
    return await task({ page, url: `${server.url}/#${id}`, append: (more) => eventLog.append(key, more) });
  } finally {
    await context.close();
    await host.close();
    await server.close();
  }
}

/** From the navigation to the frame after the text is there. */
const shownAt = (page, text) =>
  page
    .waitForFunction((wanted) => document.getElementById('log')?.lastElementChild?.textContent.includes(wanted), text)
    .then(() =>
      page.evaluate(
        'new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(performance.now()))))',
      ),
    );

const opened = (turns, deltas) =>
  measured(talk(turns, deltas), async ({ page, url }) => {
    await page.goto(url, { waitUntil: 'commit' });
    return Math.round(await shownAt(page, `Answer ${turns - 1}.`));
  });

const flooded = () =>
  measured(talk(10, 0), async ({ page, url, append }) => {
    await page.goto(url);
    await shownAt(page, 'Answer 9.');
    await page.evaluate(() => {
      globalThis.lags = [];
      const see = (records) => {
        const stamps = records.flatMap(({ addedNodes }) =>
          [...addedNodes].map(({ textContent }) => /^at (\d+)/.exec(textContent)?.[1]),
        );
        requestAnimationFrame(() => {
          for (const stamp of stamps) if (stamp !== undefined) globalThis.lags.push(Date.now() - Number(stamp));
        });
      };
      new MutationObserver(see).observe(document.getElementById('log'), { childList: true });
    });
    await append([{ type: 'user_message', text: 'Flood' }]);
    const began = performance.now();
    for (let count = 0; count < 3_000; count += 5) {
      await append(Array.from({ length: 5 }, () => say(`at ${Date.now()} ${'and on it goes '.repeat(10)}`)));
      await sleep(Math.max(0, began + count * 2 - performance.now()));
    }
    await page.waitForFunction(() => globalThis.lags.length >= 3_000);
    const lags = (await page.evaluate('lags')).sort((a, b) => a - b);
    return { p50Ms: lags[1_500], p99Ms: lags[2_970], mostMs: lags.at(-1) };
  });

try {
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, Chromium ${browser.version()}`);
  console.log(`messages: 10,000 after ${await opened(5_000, 0)} ms`);
  console.log(`deltas: 50,000 after ${await opened(2_000, 25)} ms`);
  console.log(`flood: ${JSON.stringify(await flooded())}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
