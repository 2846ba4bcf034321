/**
 * What a process that has started already saves: the time from the call to `system/init` and to the first text.
 *
 *   node bench/starting-ahead.mjs CLI [--dist DIR] [--rounds N]
 *
 * CLI is a Claude Code executable that knows `--await-claim` (2.1.330 does); `--dist` is a build (`dist`). `query()`, `startup()` and
 * `prewarm()` take turns, N rounds of each (15), against an API on the loopback interface that answers at once: no key, no network
 * beyond this machine is asked for. Everything is written to a temporary folder. Prints medians in milliseconds and the spread.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dist: { type: 'string', default: 'dist' }, rounds: { type: 'string', default: '15' } },
});
const [cli] = positionals;
if (cli === undefined) {
  console.error('usage: node bench/starting-ahead.mjs CLI [--dist DIR] [--rounds N]');
  process.exit(2);
}
const { prewarm, query, startup } = await import(pathToFileURL(resolve(values.dist, 'index.js')).href);

const base = mkdtempSync(join(tmpdir(), 'bench-starting-ahead-'));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
const [home, config, cwd] = ['home', 'config', 'work'].map((name) => {
  mkdirSync(join(base, name));
  return join(base, name);
});
const api = createServer(answer);
await new Promise((listening) => api.listen(0, '127.0.0.1', listening));
const shared = {
  pathToClaudeCodeExecutable: resolve(cli),
  env: {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    TMPDIR: base,
    ANTHROPIC_API_KEY: 'sk-ant-none',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${api.address().port}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  },
};
const prompt = 'Say hello.';

/** Gets ready, and gives back what is measured. */
const CONTENDERS = {
  'query()': async () => () => query({ prompt, options: { ...shared, cwd } }),
  'startup()': async () => {
    const warm = await startup({ options: { ...shared, cwd } });
    return () => warm.query(prompt);
  },
  'prewarm()': async () => {
    const spare = await prewarm({ options: shared });
    return () => spare.claim({ prompt, options: { cwd } });
  },
};
const times = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, { init: [], text: [] }]));
// The first round of each fills caches and is not counted.
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [name, getReady] of Object.entries(CONTENDERS)) {
    const measured = await timesOf(await getReady());
    if (round === 0) continue;
    for (const [mark, ms] of Object.entries(measured)) times[name][mark].push(ms);
  }
}
api.close();
for (const [name, { init, text }] of Object.entries(times)) {
  console.log(`${name.padEnd(12)}to system/init ${shown(init)}   to the first text ${shown(text)}`);
}

async function timesOf(begin) {
  const start = performance.now();
  const measured = {};
  for await (const message of begin()) {
    const ms = performance.now() - start;
    if (message.type === 'system' && message.subtype === 'init') measured.init ??= ms;
    if (message.type === 'assistant') measured.text ??= ms;
    if (message.type === 'result' && message.is_error) throw new Error(message.result);
  }
  return measured;
}

function shown(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const [low, median, high] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((index) =>
    sorted[index].toFixed(0),
  );
  return `${median} ms (${low} to ${high})`;
}

/** The Messages API, as far as a turn of one word needs it. */
function answer(request, response) {
  request.resume().on('end', () => {
    if (request.method !== 'POST' || !request.url.startsWith('/v1/messages?')) {
      response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'bench' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const open = { ...message, content: [], stop_reason: null, stop_sequence: null, usage };
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    const events = [
      { type: 'message_start', message: open },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta, usage },
      { type: 'message_stop' },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''));
  });
}
