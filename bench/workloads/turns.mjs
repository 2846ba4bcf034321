/** One user message, one assistant message, one result, again and again: microseconds per turn. */
import { assertEqual, nowUs } from '../frames.mjs';
import { createGate, nodeCli, userFrame } from './support.mjs';

export async function measure(contender, { count, warmUp }) {
  await contender.load({});
  let turnOver = createGate();
  let turns = 0;
  let startUs = 0;
  let endUs = 0;
  async function* prompt() {
    for (let turn = 0; turn < warmUp + count; turn += 1) {
      if (turn === warmUp) startUs = nowUs();
      turnOver = createGate();
      yield userFrame('Go.');
      await turnOver.opened;
    }
    endUs = nowUs();
  }
  const session = contender.open({
    cli: nodeCli({ mode: 'turns' }),
    prompt: prompt(),
    onMessage(message) {
      if (message.type !== 'result') return;
      assertEqual('turn', message.bench.turn, turns);
      turns += 1;
      turnOver.open();
    },
  });
  await session.done;
  assertEqual('turns', turns, warmUp + count);
  return (endUs - startUs) / count;
}
