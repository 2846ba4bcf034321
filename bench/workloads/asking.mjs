/** The CLI asks, the host answers: microseconds per round trip, by the CLI's clock. */
import { assertEqual } from '../frames.mjs';
import { nodeCli } from './support.mjs';

export async function measure(contender, { question, count, warmUp, inFlight, viaInstance }) {
  await contender.load({ tools: question === 'tool' });
  let calls = 0;
  let report;
  const answers = {
    permission: {
      canUseTool(_name, input) {
        calls += 1;
        return { behavior: 'allow', updatedInput: input };
      },
    },
    hook: {
      hook(input) {
        calls += 1;
        return { systemMessage: input.tool_input.command };
      },
    },
    tool: {
      tool({ a, b }) {
        calls += 1;
        return String(a + b);
      },
    },
  };
  const session = contender.open({
    cli: nodeCli({ mode: 'ask', question, count, warmUp, inFlight }),
    prompt: 'Go.',
    viaInstance,
    ...answers[question],
    onMessage(message) {
      if (message.type === 'result') report = message.bench;
    },
  });
  await session.done;
  assertEqual('answers', report.answered, count + warmUp);
  assertEqual('wrong answers', report.wrong, 0);
  assertEqual('handler calls', calls, count + warmUp);
  return report.usEach;
}
