import { requireKnown, requireObject, requireOption } from '../../errors/usage-errors.js';
import { nonEmptyString } from '../../util/validate.js';
import type { SpawnExpectation } from '../scenario/scenario-types.js';
import { type PromptExpectation, type ScriptItem, traced } from '../script/script-item.js';
import { checked } from './check-arguments.js';
import { type ExchangeFrames, exchangeFrames } from './exchanges.js';
import { faults } from './faults.js';
import { type MessageFrames, messageFrames } from './messages.js';
import { type OutcomeFrames, outcomesWith, type ResultFrames, resultFrames } from './results.js';
import { FrameSession, type SessionFacts } from './session.js';
import { type StreamedFrames, streamedFrames } from './streamed.js';
import { type SubagentBuilder, subagentBuilder } from './subagent.js';

/** Everything a script is built from, with the ids of one session. */
export interface Frames
  extends MessageFrames,
    StreamedFrames,
    SubagentBuilder,
    ResultFrames,
    ExchangeFrames,
    StepBuilders {
  readonly sessionId: string;
  /** One whole turn: waits for a prompt, then `init`, the text, the result. @param text - What the model says. */
  turn(text: string, expected?: Parameters<StepBuilders['prompt']>[0]): ScriptItem;
  /** Turns that end in each of the kinds of `outcomeOf`, in this session. */
  readonly outcome: OutcomeFrames;
  readonly faults: typeof faults;
}

/**
 * Builders of frames and script steps that belong to one session: same session id, counted message ids, and a tool
 * result knows the call before it.
 *
 * @example
 * const { toolUse, toolResult, result } = createFrames({ sessionId });
 * const messages = [toolUse('Bash', { command: 'ls' }), toolResult('a.txt'), result('One file.')];
 */
export function createFrames(facts?: SessionFacts): Frames {
  if (facts !== undefined) {
    const cure = 'Pass one such as `{ sessionId, model }`.';
    requireObject('facts', 'createFrames() takes the facts of a session', facts, cure);
    requireKnown('createFrames()', 'facts', facts, FACTS);
    for (const name of FACTS) if (facts[name] !== undefined) requireOption(nonEmptyString, facts[name], name);
  }
  const session = new FrameSession(facts);
  const messages = messageFrames(session);
  const results = resultFrames(session);
  const exchanges = exchangeFrames(session, { ...messages, ...results });
  const builders: Frames = {
    sessionId: session.sessionId,
    ...messages,
    ...streamedFrames(session, messages),
    ...subagentBuilder(session, { ...messages, ...exchanges }),
    ...results,
    ...exchanges,
    ...STEPS,
    process: (expected) => {
      // What a process resumes, its totals go on from.
      if (!RESUMING.some((flag) => (expected?.argv?.[flag] ?? '$absent') !== '$absent')) session.totals.reset();
      return STEPS.process(expected);
    },
    turn: (text, expected) => [
      STEPS.prompt(expected),
      messages.init(),
      messages.assistantText(text),
      results.result(text),
    ],
    outcome: outcomesWith(() => ({ ...messages, ...results })),
    faults,
  };
  return traced(checked(builders));
}

const FACTS = ['sessionId', 'model', 'cwd', 'cliVersion'] as const satisfies readonly (keyof SessionFacts)[];

/** What a script does besides sending messages. */
export interface StepBuilders {
  /**
   * Waits for the next user message.
   * @param expected - Its text, a pattern for it or a test of it; judged when the scripted CLI is closed.
   *   @defaultValue any
   */
  prompt(expected?: PromptExpectation): ScriptItem;
  /**
   * What follows is played by the next process the application starts. Unless it expects `--resume` or `--continue`,
   * results count from nothing again.
   * @param expected - `argv` by flag (`{ '--resume': id }`; `'$absent'`: not given), `env` by name, `cwd`. The process
   *   fails at once when they differ.
   */
  process(expected?: SpawnExpectation): ScriptItem;
  /** Milliseconds. */
  pause(delayMs: number): ScriptItem;
  stderr(text: string): ScriptItem;
  exit(exitCode: number): ScriptItem;
  /** Waits until the application ends the input. */
  endOfInput(): ScriptItem;
}

const RESUMING = ['--resume', '-r', '--continue', '-c'];

const STEPS: StepBuilders = {
  prompt: (expected) => ({ prompt: expected }),
  process: (expected = {}) => ({ spawn: expected }),
  pause: (delayMs) => ({ delayMs }),
  stderr: (text) => ({ stderr: text }),
  exit: (exitCode) => ({ exit: exitCode }),
  endOfInput: () => ({ wait: 'EOF' }),
};
