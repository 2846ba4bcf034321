/** User messages from an iterable prompt: microseconds per message, by the CLI's clock. */
import { assertEqual, idOf } from '../frames.mjs';
import { createGate, nodeCli, userFrame } from './support.mjs';

const LINE_BYTES = 250;

export async function measure(contender, { count }) {
  await contender.load({});
  const ready = createGate();
  let report;
  const room = LINE_BYTES - JSON.stringify(userFrame('', idOf(0))).length - 1;
  const text = 'x'.repeat(room);
  async function* prompt() {
    yield userFrame('Go.');
    await ready.opened;
    for (let index = 0; index < count; index += 1) yield userFrame(text, idOf(index));
  }
  const session = contender.open({
    cli: nodeCli({ mode: 'collect', count }),
    prompt: prompt(),
    onMessage(message) {
      if (message.subtype === 'init') ready.open();
      else if (message.type === 'result') report = message.bench;
    },
  });
  await session.done;
  assertEqual('messages received', report.received, count);
  assertEqual('messages out of place', report.wrong, 0);
  return report.usEach;
}
