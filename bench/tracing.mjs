/**
 * What the diagnostics channels cost: two builds in one process, their sessions in turns.
 *
 *   node bench/tracing.mjs --before DIR/dist --after DIR/dist [--pairs 400] [--subscribed]
 *
 * The build that is loaded second is slower by its place alone. So each is loaded twice, in the order before, after, after,
 * before, and a pair compares the CPU time of both copies of one with that of both copies of the other: 4 sessions with 2,500
 * frames each on every copy. Who begins changes from pair to pair. Prints the median of `after / before` over the pairs and
 * its 95 % confidence interval, from the order of the ratios. `--subscribed` subscribes to all channels: before has none.
 */
import { subscribe } from 'node:diagnostics_channel';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const SESSIONS = 4;
const FRAMES = 2_500;
const WARM_UP = 30;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    pairs: { type: 'string', default: '400' },
    subscribed: { type: 'boolean' },
  },
});

async function comparePairs(before, after, pairs) {
  const ratios = [];
  for (let pair = 0; pair < pairs + WARM_UP; pair += 1) {
    const inOrder = [before[0], after[0], after[1], before[1]];
    // Turned, so that a slow change of the machine reaches both alike.
    const turn = pair % 4;
    let [ofBefore, ofAfter] = [0, 0];
    for (const copy of [...inOrder.slice(turn), ...inOrder.slice(0, turn)]) {
      const spent = await measure(copy);
      if (before.includes(copy)) ofBefore += spent;
      else ofAfter += spent;
    }
    if (pair >= WARM_UP) ratios.push(ofAfter / ofBefore);
  }
  ratios.sort((a, b) => a - b);
  const half = (1.96 * Math.sqrt(pairs)) / 2;
  const at = (rank) => `${((ratios[Math.min(pairs - 1, Math.max(0, Math.round(rank)))] - 1) * 100).toFixed(2)} %`;
  const middle = (pairs - 1) / 2;
  console.log(`${pairs} pairs: median ${at(middle)}, 95 % interval ${at(middle - half)} to ${at(middle + half)}`);
}

async function measure({ query }) {
  const start = process.cpuUsage();
  for (let session = 0; session < SESSIONS; session += 1) await oneSession(query);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Node keeps one instance of a file, so that each copy of a build needs a folder of its own. */
async function load(dist, name) {
  const folder = join(copies, name);
  cpSync(resolve(dist), join(folder, 'dist'), { recursive: true });
  cpSync(resolve(dist, '..', 'package.json'), join(folder, 'package.json'));
  return await import(pathToFileURL(join(folder, 'dist', 'index.js')).href);
}

const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } };
const EVENT = { type: 'stream_event', event: delta, session_id: 's', parent_tool_use_id: null, uuid: 'u' };
const INIT = { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [], uuid: 'u' };
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'x',
  session_id: 's',
  num_turns: 1,
  usage: {},
};

/** A CLI of a few lines in this process, so that little else is measured. */
function quickTransport() {
  const waiting = [];
  let wake = () => {};
  let isOver = false;
  const end = () => {
    isOver = true;
    wake();
  };
  return {
    write: (line) => {
      const frame = JSON.parse(line);
      if (frame.type === 'control_request') {
        const response = { subtype: 'success', request_id: frame.request_id, response: {} };
        waiting.push({ type: 'control_response', response });
      } else if (frame.type === 'user') waiting.push(INIT, ...Array(FRAMES).fill(EVENT), RESULT);
      wake();
    },
    async *readMessages() {
      for (;;) {
        yield* waiting.splice(0);
        if (isOver) return;
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
    endInput: end,
    close: end,
    isReady: () => !isOver,
  };
}

async function oneSession(query) {
  let frames = 0;
  const options = { transport: quickTransport(), includePartialMessages: true };
  for await (const _ of query({ prompt: 'Go.', options })) frames += 1;
  if (frames !== FRAMES + 2) throw new Error(`${frames} frames came, expected ${FRAMES + 2}`);
}

const copies = mkdtempSync(join(tmpdir(), 'claudewire-bench-tracing-'));
try {
  const copyOf = { before: [], after: [] };
  for (const name of ['before', 'after', 'after', 'before'])
    copyOf[name].push(await load(values[name], `${name}-${copyOf[name].length}`));
  if (values.subscribed) {
    for (const { channelNames } of copyOf.after)
      for (const names of Object.values(channelNames))
        for (const name of Object.values(names)) subscribe(name, () => {});
  }
  await comparePairs(copyOf.before, copyOf.after, Number(values.pairs));
} finally {
  rmSync(copies, { recursive: true, force: true });
}
