import type { CallFacts, ResultFacts } from './call-facts.js';
import type { ToolCallOutcomeKind } from './outcome-types.js';

/** Which hooks are listened to, so that one that was not called counts. */
export interface HookCoverage {
  readonly hasStarts: boolean;
  readonly hasEnds: boolean;
}

/*
 * What releases write about a call that was cut, from runs: docs/evidence/cut-calls.md. A tool can print such a text too,
 * so a text never proves that a call did not run. It only makes an error unknown.
 */
/** The whole text of a call whose host has gone. Releases without `toolDenialAfterRun`. */
const HOST_GONE = 'Tool permission stream closed before response received';
/** The whole text of a sub-agent that was cut. Releases without fields, and 2.1.200 on SIGTERM. */
const INTERRUPTED = '[Request interrupted by user for tool use]';
/** Begins of the texts where the turn ended with the call. The exit code: also of newer releases on SIGTERM. */
const CUT = /^(?:Exit code (?:137|143)\b|\[Request interrupted by user|The user doesn't want to |Tool permission )/;
const ABORTED = /\bAbortError\b/;
const REFUSED = /^Permission to use /;
const AGENTS: readonly unknown[] = ['Agent', 'Task'];

/** The fields first, then hooks, then whether the turn went on, then the text. */
export function judgeCall(call: CallFacts, hooks: HookCoverage): ToolCallOutcomeKind {
  const { result } = call;
  if (result !== undefined && !result.isError && result.denialKind === undefined) {
    // 2.0.56 writes this about a cut call of an MCP server.
    return call.isInterrupted && !result.hasContent && call.ended === undefined ? 'unknown' : 'ran';
  }
  const hasNotBegun = hooks.hasStarts && !call.isAsked;
  if (result?.denialKind !== undefined) return judgeMarked(call, result, hasNotBegun);
  if (call.isDenied || result?.isRejected === true) return 'denied';
  if (call.ended !== undefined) return call.ended === 'cut' ? 'unknown' : call.ended;
  if (hasNotBegun) return 'never_started';
  if (result === undefined) return call.isDeferred ? 'never_started' : 'unknown';
  return judgeError(call, result, hooks);
}

/** The release says that the call was not run, or not to its end. */
function judgeMarked(call: CallFacts, result: ResultFacts, hasNotBegun: boolean): ToolCallOutcomeKind {
  const { denialKind, isBeforeRun, isAfterRun, isRejected } = result;
  if (call.ended === 'ran' || call.ended === 'failed') return call.ended;
  if (!isAfterRun && (denialKind === 'permission-rule' || isRejected || call.isDenied)) return 'denied';
  return isBeforeRun || hasNotBegun ? 'never_started' : 'unknown';
}

/** An error without a field, and without a hook at its end. */
function judgeError(call: CallFacts, result: ResultFacts, { hasEnds }: HookCoverage): ToolCallOutcomeKind {
  const { text, hasFields } = result;
  const isMissed = hasEnds && call.isAsked;
  const mayBeCut = CUT.test(text) || ABORTED.test(text) || call.isInterrupted;
  if (!call.isFollowed) return isMissed || mayBeCut ? 'unknown' : 'failed';
  // A tool that fails is followed by a hook. One that is denied is not, and has a field where the release has fields.
  if (isMissed && mayBeCut) return 'unknown';
  if (isMissed && !hasFields) return 'denied';
  if (text === HOST_GONE || (text === INTERRUPTED && AGENTS.includes(call.name))) return 'unknown';
  return REFUSED.test(text) && !hasFields ? 'denied' : 'failed';
}
