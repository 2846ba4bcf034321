/** Many sessions in one process: all at once (ms until the last is over), or one after another (KB of heap left). */
import { getEventListeners } from 'node:events';
import { assertEqual, FloodCheck } from '../frames.mjs';
import { quickCli } from './support.mjs';

const MEASURES = { atOnce, oneByOne };

export async function measure(contender, params) {
  await contender.load({});
  return MEASURES[params.what](contender, params);
}

async function atOnce(contender, { sessions, cliFile, frames }) {
  const start = performance.now();
  await Promise.all(Array.from({ length: sessions }, () => runSession(contender, cliFile, frames)));
  return performance.now() - start;
}

/** All share one `AbortController`, as a server would; nothing may be left on it. */
async function oneByOne(contender, { sessions, warmUp, cliFile, frames }) {
  const abortController = new AbortController();
  const runMany = async (howMany) => {
    for (let index = 0; index < howMany; index += 1) {
      await runSession(contender, cliFile, frames, abortController);
    }
  };
  await runMany(warmUp);
  const before = await settledState();
  await runMany(sessions);
  const after = await settledState();
  assertEqual('listeners left', getEventListeners(abortController.signal, 'abort').length, 0);
  assertEqual('handles left', after.handles, before.handles);
  return (after.heapBytes - before.heapBytes) / 1024;
}

async function runSession(contender, cliFile, frames, abortController) {
  const check = new FloodCheck();
  let hasResult = false;
  const session = contender.open({
    cli: quickCli(cliFile, frames.few),
    prompt: 'Go.',
    abortController,
    onMessage(message) {
      if (!check.see(message) && message.type === 'result') hasResult = true;
    },
  });
  await session.done;
  assertEqual('result seen', hasResult, true);
  assertEqual('frames', check.count, frames.fewCount);
}

/** Needs `--expose-gc`. */
async function settledState() {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  return {
    heapBytes: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
  };
}
