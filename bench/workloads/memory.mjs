/** Growth of the process while one side does not take what the other sends, in MB. */
import { CheckFailed, FloodCheck } from '../frames.mjs';
import { nodeCli, sleep, userFrame, watchGrowth } from './support.mjs';

const PROMPT_UNITS = 64 * 1024;

const MEASURES = { slowConsumer, stalledCli };

export async function measure(contender, params) {
  await contender.load({});
  return MEASURES[params.what](contender, params);
}

/** The CLI writes `count` frames of 4 KB; the consumer takes one every 100 ms for `windowMs`. */
async function slowConsumer(contender, { count, windowMs }) {
  const check = new FloodCheck();
  const growth = watchGrowth();
  const endAt = performance.now() + windowMs;
  const session = contender.open({
    cli: nodeCli({ mode: 'flood', kind: '4k', count }),
    prompt: 'Go.',
    async onMessage(message) {
      if (!check.see(message)) return undefined;
      if (performance.now() > endAt) return true;
      await sleep(100);
      return undefined;
    },
  });
  // The window only: what an SDK does after `break` is another case.
  await sleep(windowMs);
  const megabytes = growth.stop();
  if (check.count === 0) throw new CheckFailed('nothing was consumed');
  session.abort();
  await session.done;
  return megabytes;
}

/** The CLI reads nothing for `windowMs`; the prompt offers `count` messages of 64 KiB. */
async function stalledCli(contender, { count, windowMs }) {
  let pulled = 0;
  async function* prompt() {
    for (; pulled < count; pulled += 1) yield userFrame(String(pulled).padEnd(PROMPT_UNITS, 'x'));
  }
  const growth = watchGrowth();
  const session = contender.open({
    cli: nodeCli({ mode: 'deaf', ms: windowMs + 1000 }),
    prompt: prompt(),
    onMessage() {},
  });
  await sleep(windowMs);
  const megabytes = growth.stop();
  if (pulled === 0) throw new CheckFailed('nothing was pulled');
  session.abort();
  await session.done;
  return megabytes;
}
