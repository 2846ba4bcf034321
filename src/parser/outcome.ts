import { isClaudeSDKError, type ProcessError } from '../errors.js';
import { errorText } from '../util/error-text.js';
import { isResultMessage } from './guards.js';
import type { SDKMessage, SDKResultMessage } from './message.js';
import type { Outcome } from './outcome-types.js';
import { outcomeOfResult, toOutcome } from './result-outcome.js';
import { NO_FACTS } from './turn-facts.js';
import { type RunFacts, runFactsOf } from './turn-reader.js';

export type * from './outcome-types.js';

/**
 * Says how a run ended, as one discriminated union with `retryable`. Give it all messages, and the error when the loop
 * threw one: that is the only input that can tell everything apart. With several results the last one counts, as for
 * the CLI's exit code. Only a turn that the CLI began by itself, such as one about a background agent, takes neither the
 * text nor the structured value of an earlier turn away; its failure counts. A result alone, or an error alone, works too; then the turn's other messages cannot help, and
 * what has no field in the result is told from its text (no credit, not logged in, timed out) or not at all (a prompt
 * that a hook blocked, a schema without a value: both read as `completed`). Never throws for what JSON can hold. A
 * failed `/compact` is `completed`: the CLI reports it as an answer, and the session goes on; its `status` message has
 * `compact_result: 'failed'`.
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
  if (result === undefined) return toOutcome('incomplete', { message: 'The stream ended without a result' });
  if (!isUnfinished) return outcomeOfResult(result, turn);
  return toOutcome('incomplete', { message: 'The stream ended before every message was answered', result });
}

/** Strings are iterable, and are what somebody threw. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

type Common = { readonly message: string; readonly result?: SDKResultMessage };

/** Nothing is known but the error. */
const UNKNOWN_RUN: RunFacts = { isEmpty: false, turn: NO_FACTS, isUnfinished: false, progress: 'none' };

/** Reads what the loop threw, in the light of what was delivered before it. Never throws. */
function outcomeOfError(error: unknown, run: RunFacts = UNKNOWN_RUN): Outcome {
  const result = resultOf(error) ?? run.result;
  const common = { message: errorText(error), ...(result === undefined ? {} : { result }) };
  if (!isClaudeSDKError(error)) return toOutcome('failed', { ...common, cause: error });
  switch (error.errorClass) {
    case 'error_result':
      return outcomeOfErrorResult(error, run);
    case 'aborted':
    case 'query_closed':
      return toOutcome('interrupted', common);
    case 'deadline_exceeded':
      return toOutcome('deadline', common);
    case 'idle_timeout':
      return toOutcome('idle_timeout', common);
    case 'incomplete_stream':
      return toOutcome('incomplete', common);
    case 'process_exited_nonzero':
    case 'process_killed_by_signal':
      return crashedOrNotStarted(error as ProcessError, run, common);
    case 'initialize_timeout':
      return notStarted(error, run, common, true);
    case 'executable_not_found':
    case 'executable_launch_failed':
    case 'invalid_option':
      return notStarted(error, run, common);
    case 'claim_failed':
      // With `option_not_applied` the prompt runs, and its own result says how it went.
      if (Reflect.get(error, 'reason') === 'option_not_applied') break;
      return notStarted(error, run, common);
  }
  return toOutcome('failed', { ...common, cause: error });
}

/** What an error of a start says, unless messages before it show that something ran. */
function notStarted(error: unknown, { progress }: RunFacts, common: Common, isRetryable = false): Outcome {
  if (progress !== 'none') return toOutcome('failed', { ...common, cause: error });
  return toOutcome('not_started', common, isRetryable);
}

/** The result of the turn that was stopped: later than what was delivered. */
function resultOf(error: unknown): SDKResultMessage | undefined {
  if (!isClaudeSDKError(error)) return undefined;
  const result: unknown = Reflect.get(error, 'result');
  return isResultMessage(result) ? result : undefined;
}

/** The result inside the error is the one that was delivered, where there are messages to compare. */
function outcomeOfErrorResult(error: object, run: RunFacts): Outcome {
  const result = run.result ?? ('data' in error ? error.data : undefined);
  if (isResultMessage(result)) return outcomeOfResult(result, run.turn);
  return toOutcome('failed', { message: errorText(error), cause: error });
}

const exitedAfterTurn = new WeakSet<object>();

/** Marks the error of a process that had ended a turn before: without a message of its own, the next turn crashed. */
export function markAfterTurn(error: ProcessError): ProcessError {
  exitedAfterTurn.add(error);
  return error;
}

function crashedOrNotStarted(error: ProcessError, run: RunFacts, common: { message: string }): Outcome {
  const { exitCode, signal, stderrTail } = error;
  // A code of its own before the first message is a refusal: bad options, bad settings, bad input.
  if (run.isEmpty && !exitedAfterTurn.has(error) && signal === null && exitCode !== null && !isSignalCode(exitCode)) {
    return toOutcome('not_started', common);
  }
  return toOutcome('crashed', { ...common, exitCode, signal, stderrTail });
}

/** A signal that a handler or a shell turned into a code: 128 and its number, of which there are 64. */
function isSignalCode(exitCode: number): boolean {
  return exitCode > 128 && exitCode <= 192;
}
