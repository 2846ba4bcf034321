import type { TokenUsage } from 'claudewire';
import { JobError } from '../errors.js';
import { isPlainObject } from '../job/fields.js';
import type { ClaudeRunEnd } from './claude-run.js';
import type { Redactor } from './redactor.js';

/** `returnvalue` of a job. A job that did not complete has failed: see {@link failureOf}. */
export interface JobResult {
  readonly outcome: 'completed';
  readonly sessionId: string;
  /** The answer, of at most `limits.resultLength` characters. */
  readonly text: string;
  readonly isTextCut: boolean;
  /** The value that matches the schema, if the profile asks for one. Absent where it is longer than the limit, or too deep to be looked at. */
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

/** @throws JobError `invalid_job`: what Redis has is not what a worker stored. */
export function storedResult(text: string): JobResult {
  try {
    const result: unknown = JSON.parse(text);
    if (isPlainObject(result) && result.outcome === 'completed' && typeof result.text === 'string') {
      return result as unknown as JobResult;
    }
  } catch {
    // Said below.
  }
  throw new JobError(
    'invalid_job',
    'The stored result of the job cannot be read: something else has written to Redis.',
  );
}

/** Of a run that completed. */
export function resultOfRun(
  end: ClaudeRunEnd,
  params: Pick<JobResult, 'sessionId' | 'attempts' | 'isResumed' | 'eventsDropped' | 'hasTranscriptGap'>,
  redactor: Redactor,
  length: number,
): JobResult {
  const { structuredOutput, costUsd, usage, text = end.outcome.message } = end.summary ?? {};
  const output = outputOf(structuredOutput, redactor, length);
  return {
    ...{ outcome: 'completed', isFromTranscript: false, ...params },
    ...textOf(text, redactor, length),
    ...(output === undefined ? {} : { structuredOutput: output }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Of a turn that another worker had completed. */
export function resultOfTranscript(
  answer: string,
  params: Pick<JobResult, 'sessionId' | 'attempts' | 'eventsDropped'>,
  redactor: Redactor,
  length: number,
): JobResult {
  return {
    ...{ outcome: 'completed', isResumed: true, isFromTranscript: true, hasTranscriptGap: false, ...params },
    ...textOf(answer, redactor, length),
  };
}

/** `undefined` for one that is too long, or too deep to be looked at. */
function outputOf(value: unknown, redactor: Redactor, length: number): unknown {
  try {
    const isShort = value !== undefined && JSON.stringify(value).length <= length;
    return isShort ? redactor.value(value) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(all: string, redactor: Redactor, length: number): Pick<JobResult, 'text' | 'isTextCut'> {
  const text = redactor.text(all);
  return { text: cut(text, length), isTextCut: text.length > length };
}
