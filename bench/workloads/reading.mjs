/** A flood of frames: time per frame, as the consumer sees it. */
import { FloodCheck, nowUs } from '../frames.mjs';
import { nodeCli } from './support.mjs';

/** @param params.warmUp - Frames before the clock starts; 0 counts from the CLI's first write. */
export async function measure(contender, { kind, count, warmUp, usPerUnit = 1 }) {
  await contender.load({});
  const check = new FloodCheck();
  let report;
  let startUs = 0;
  let endUs = 0;
  const session = contender.open({
    cli: nodeCli({ mode: 'flood', kind, count }),
    prompt: 'Go.',
    onMessage(message) {
      if (check.see(message)) {
        if (check.count === warmUp) startUs = nowUs();
      } else if (message.type === 'result') {
        endUs = nowUs();
        report = message.bench;
      }
    },
  });
  await session.done;
  check.finish(kind, report);
  if (warmUp === 0) startUs = report.startedUs;
  return (endUs - startUs) / (check.count - warmUp) / usPerUnit;
}
