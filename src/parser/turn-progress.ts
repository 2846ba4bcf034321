import type { SDKResultMessage } from './message.js';
import { fieldsOf } from './read-message.js';
import { tokenCount } from './token-usage.js';

/**
 * How far a turn came, by what was seen of it: `none`, nothing was sent to the model; `answered`, the model wrote
 * something; `tools`, a tool may have run. Everything that calls a run not started or safe to repeat rests on this.
 */
export type TurnProgress = 'none' | 'answered' | 'tools';

/** What came first and what came later, whichever is further. */
export function furthest(one: TurnProgress, other: TurnProgress): TurnProgress {
  return ORDER[one] < ORDER[other] ? other : one;
}

const ORDER: Readonly<Record<TurnProgress, number>> = { none: 0, answered: 1, tools: 2 };

/**
 * What the result adds to what was seen before it. The counts alone do not tell: a CLI that crashes in a turn reports
 * zeros for what has run. No field is required or trusted.
 */
export function progressAt(result: SDKResultMessage | undefined, seen: TurnProgress): TurnProgress {
  return result === undefined ? seen : furthest(seen, progressIn(result));
}

function progressIn(result: SDKResultMessage): TurnProgress {
  const { num_turns: turns, usage } = fieldsOf(result);
  // One is the request itself; each answer to a tool call adds one.
  const count = tokenCount(turns) ?? 0;
  if (count > 1) return 'tools';
  return count === 1 || hasTokens(usage) ? 'answered' : 'none';
}

function hasTokens(usage: unknown): boolean {
  const { input_tokens: input, output_tokens: output } = Object(usage) as Readonly<Record<string, unknown>>;
  return (tokenCount(input) ?? 0) > 0 || (tokenCount(output) ?? 0) > 0;
}
