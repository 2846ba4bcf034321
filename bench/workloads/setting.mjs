/** The host asks, the CLI answers (`set_model`): microseconds per round trip. */
import { assertEqual, nowUs } from '../frames.mjs';
import { createGate, nodeCli, userFrame } from './support.mjs';

export async function measure(contender, { count, warmUp, inFlight }) {
  await contender.load({});
  const ready = createGate();
  const over = createGate();
  let report;
  async function* prompt() {
    yield userFrame('Go.');
    await over.opened;
  }
  const session = contender.open({
    cli: nodeCli({ mode: 'serve' }),
    prompt: prompt(),
    onMessage(message) {
      if (message.subtype === 'init') ready.open();
      else if (message.type === 'result') report = message.bench;
    },
  });
  await ready.opened;
  await makeRequests(session, warmUp, inFlight);
  const startUs = nowUs();
  await makeRequests(session, count, inFlight);
  const usEach = (nowUs() - startUs) / count;
  over.open();
  await session.done;
  assertEqual('requests served', report.served, count + warmUp);
  return usEach;
}

async function makeRequests(session, count, inFlight) {
  let made = 0;
  const lane = async () => {
    for (; made < count; ) {
      made += 1;
      await session.setModel('claude-sonnet-5-5');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
