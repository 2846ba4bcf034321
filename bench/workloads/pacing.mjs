/** Single frames, half a millisecond apart: how late the consumer has them, 99th percentile in microseconds. */
import { assertEqual, nowUs } from '../frames.mjs';
import { nodeCli } from './support.mjs';

export async function measure(contender, { count, warmUp, percentile }) {
  await contender.load({});
  const delays = [];
  let report;
  const session = contender.open({
    cli: nodeCli({ mode: 'pace', count }),
    prompt: 'Go.',
    onMessage(message) {
      if (message.type === 'stream_event') {
        const { index, sentUs } = message.event;
        const arrivedUs = nowUs();
        assertEqual('frame number', index, delays.length);
        delays.push(arrivedUs - sentUs);
      } else if (message.type === 'result') {
        report = message.bench;
      }
    },
  });
  await session.done;
  assertEqual('frames', delays.length, report.frames);
  const sorted = delays.slice(warmUp).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * percentile)];
}
