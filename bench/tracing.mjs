/**
 * What the diagnostics channels cost: two builds in one process, their sessions in turns.
 *
 *   node bench/tracing.mjs --before DIR/dist --after DIR/dist [--pairs 200] [--subscribed]
 *
 * One figure is the CPU time of 4 sessions with 2,500 frames each. Prints the median of `after / before` over the pairs and
 * its 95 % confidence interval, from the order of the ratios. `--subscribed` subscribes to all channels: before has none.
 */
import { subscribe } from 'node:diagnostics_channel';
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
    pairs: { type: 'string', default: '200' },
    subscribed: { type: 'boolean' },
  },
});

async function comparePairs(before, after, pairs) {
  const ratios = [];
  for (let pair = 0; pair < pairs + WARM_UP; pair += 1) {
    // Turned, so that a slow change of the machine reaches both alike.
    const figures = new Map();
    for (const build of pair % 2 === 0 ? [before, after] : [after, before]) figures.set(build, await measure(build));
    if (pair >= WARM_UP) ratios.push(figures.get(after) / figures.get(before));
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

async function load(dist) {
  return await import(pathToFileURL(join(resolve(dist), 'index.js')).href);
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

const [before, after] = [await load(values.before), await load(values.after)];
if (values.subscribed) {
  for (const names of Object.values(after.channelNames))
    for (const name of Object.values(names)) subscribe(name, () => {});
}
await comparePairs(before, after, Number(values.pairs));
