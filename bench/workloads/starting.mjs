/** What a program pays before its first message. */
import { quickCli } from './support.mjs';

const BYTES_PER_MB = 1024 * 1024;

const MEASURES = { importMs, importMb, firstMessageMs, nodeToFirstMessageMs };

export function measure(contender, params) {
  return MEASURES[params.what](contender, params);
}

async function importMs(contender) {
  const start = performance.now();
  await contender.load({});
  return performance.now() - start;
}

async function importMb(contender) {
  const before = process.memoryUsage.rss();
  await contender.load({});
  return (process.memoryUsage.rss() - before) / BYTES_PER_MB;
}

/** From `query()` to the first message, imports done. */
async function firstMessageMs(contender, { cliFile }) {
  await contender.load({});
  const start = performance.now();
  return (await firstMessageAt(contender, cliFile)) - start;
}

/** `performance.now()` counts from the start of the process. */
async function nodeToFirstMessageMs(contender, { cliFile }) {
  await contender.load({});
  return firstMessageAt(contender, cliFile);
}

async function firstMessageAt(contender, cliFile) {
  let at;
  const session = contender.open({
    cli: quickCli(cliFile),
    prompt: 'Go.',
    onMessage() {
      at ??= performance.now();
    },
  });
  await session.done;
  return at;
}
