import { requireObject } from '../../errors/invalid-option.js';
import { traced } from '../script/origin.js';
import type { ScriptItem } from '../script/script-types.js';
import { type ExchangeFrames, exchangeFrames } from './exchanges.js';
import { faults } from './faults.js';
import { type MessageFrames, messageFrames } from './messages.js';
import { type OutcomeFrames, outcomesWith } from './outcomes.js';
import { type ResultFrames, resultFrames } from './results.js';
import { FrameSession, type SessionFacts } from './session.js';
import { type StepBuilders, stepBuilders } from './steps.js';

/** Everything a script is built from, with the ids of one session. */
export interface Frames extends MessageFrames, ResultFrames, ExchangeFrames, StepBuilders {
  readonly sessionId: string;
  /**
   * One whole turn: waits for a prompt, then `init`, the text, the result.
   *
   * @param text - What the model says.
   */
  turn(text: string, expected?: Parameters<StepBuilders['prompt']>[0]): ScriptItem;
  /** Turns that end in each of the kinds of `outcomeOf`, in this session. */
  readonly outcome: OutcomeFrames;
  readonly faults: typeof faults;
}

/**
 * Builders of frames and script steps that belong to one session: same session id, counted message ids, and a
 * tool result knows the call before it.
 *
 * @example
 * const { toolUse, toolResult, result } = createFrames({ sessionId });
 * const messages = [toolUse('Bash', { command: 'ls' }), toolResult('a.txt'), result('One file.')];
 */
export function createFrames(facts?: SessionFacts): Frames {
  if (facts !== undefined) {
    const cure = 'Pass one such as `{ sessionId, model }`.';
    requireObject('facts', 'createFrames() takes the facts of a session', facts, cure);
  }
  const session = new FrameSession(facts);
  const messages = messageFrames(session);
  const results = resultFrames(session);
  const steps = stepBuilders();
  return traced({
    sessionId: session.sessionId,
    ...messages,
    ...results,
    ...exchangeFrames(session),
    ...steps,
    turn: (text, expected) => [
      steps.prompt(expected),
      messages.init(),
      messages.assistantText(text),
      results.result(text),
    ],
    outcome: outcomesWith(() => ({ ...messages, ...results })),
    faults,
  });
}
