import type { TokenUsage } from 'claudewire';

/** `returnvalue` of a job. A job that did not complete has failed: see {@link failureOf}. */
export interface JobResult {
  readonly outcome: 'completed';
  readonly sessionId: string;
  /** The answer, of at most `limits.resultLength` characters. */
  readonly text: string;
  readonly isTextCut: boolean;
  /** The value that matches the schema, if the profile asks for one. Absent where it is longer than the limit. */
  readonly structuredOutput?: unknown;
  /** Of the last run alone. Absent where it is not known. */
  readonly costUsd?: number;
  /** Of the last run alone. */
  readonly usage?: TokenUsage;
  /** Runs that were made. */
  readonly attempts: number;
  /** The last run went on with a stored session. */
  readonly isResumed: boolean;
  /** A killed worker had the turn completed and stored, so nothing was run again. */
  readonly isFromTranscript: boolean;
  /** Events of the last run that the event log did not take. */
  readonly eventsDropped: number;
  /** The session store did not take some entries: a later job of the session will not know them. */
  readonly hasTranscriptGap: boolean;
}

/** A text without half a character at its end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
