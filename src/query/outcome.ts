import { isResultMessage } from '../parser/guards.js';
import type { SDKMessage, SDKResultMessage } from '../parser/message.js';
import { outcomeOfError } from './outcome/outcome-of-error.js';
import { outcomeOfResult, plainOutcome } from './outcome/outcome-of-result.js';
import type { Outcome } from './outcome/outcome-types.js';
import { NO_FACTS, type RunFacts, runFactsOf } from './outcome/turn-facts.js';

export type * from './outcome/outcome-types.js';

/**
 * Says how a run ended, as one discriminated union with `retryable`.
 *
 * Give it all messages, and the error when the loop threw one: that is the only input that can tell
 * everything apart. With several results the last one counts, as for the CLI's exit code. A result
 * alone, or an error alone, works too; then the turn's other messages cannot help, and what has no
 * field in the result is told from its text (no credit, not logged in, timed out) or not at all
 * (a prompt that a hook blocked, a schema without a value: both read as `completed`).
 *
 * Never throws, however odd the input. A failed `/compact` is `completed`: the CLI reports it as an
 * answer, and the session goes on; its `status` message has `compact_result: 'failed'`.
 *
 * @param error - What the loop over `messages` threw. Ignored unless the first argument is iterable.
 *
 * @example
 * const messages: SDKMessage[] = [];
 * let error: unknown;
 * try {
 *   for await (const message of query({ prompt })) messages.push(message);
 * } catch (thrown) {
 *   error = thrown;
 * }
 * const outcome = outcomeOf(messages, error);
 * if (outcome.retryable) await setTimeout(outcome.retryAfterMs ?? 1_000);
 */
export function outcomeOf(messages: Iterable<SDKMessage>, error?: unknown): Outcome;
export function outcomeOf(result: SDKResultMessage): Outcome;
export function outcomeOf(error: unknown): Outcome;
export function outcomeOf(input: unknown, error?: unknown): Outcome {
  if (isResultMessage(input)) return outcomeOfResult(input, NO_FACTS);
  if (!isIterable(input)) return outcomeOfError(input);
  const run = runFactsOf(input);
  return outcomeOfRun(run, error);
}

/** As {@link outcomeOf}, of a run that was folded message by message. @internal */
export function outcomeOfRun(run: RunFacts, error: unknown): Outcome {
  return error === undefined ? outcomeOfCleanEnd(run) : outcomeOfError(error, run);
}

function outcomeOfCleanEnd({ result, turn, isUnfinished }: RunFacts): Outcome {
  if (result === undefined) {
    return plainOutcome('incomplete', { message: 'The stream ended without a result' });
  }
  if (!isUnfinished) return outcomeOfResult(result, turn);
  return plainOutcome('incomplete', {
    message: 'The stream ended before every message was answered',
    result,
  });
}

/** Strings are iterable, and are what somebody threw. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
