import type { OutcomeKind } from 'claudewire';

/** Why a call failed, or why a job did. Stable within a major version. */
export type JobErrorCode =
  /** The data of a job, or an argument, cannot be used. */
  | 'invalid_job'
  /** The worker has no profile of this name. */
  | 'unknown_profile'
  /** The idempotency key belongs to another job. */
  | 'conflict'
  /** No such job, or it is another tenant's. */
  | 'not_found'
  /** The job waits for no answer. */
  | 'not_waiting'
  /** Somebody called `cancel()`. */
  | 'cancelled'
  /** A tool call was cut in the middle, and nobody knows whether it took effect. */
  | 'outcome_unknown'
  /** The session store does not have the session that the job names. */
  | 'session_not_found'
  /** The session store does not have what it had taken from this job. */
  | 'session_lost'
  /** The session store failed, or did not answer in time. */
  | 'store_failed'
  /** Redis failed, or did not answer in time. */
  | 'redis_failed'
  /** Only to `onError`: another worker has taken the job of a worker that stood still. */
  | 'taken'
  /** BullMQ gave the job up: its workers ended too often. */
  | 'stalled';

/** The codes that a failed job can have. Those of Claude Code are the kinds of `outcomeOf()`. */
export type JobFailureCode = JobErrorCode | Exclude<OutcomeKind, 'completed'>;

/** Every error of this package. Branch on `code`. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: JobErrorCode;

  constructor(code: JobErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
  }
}

/** What `failedReason` of a job says. */
export interface JobFailure {
  readonly code: JobFailureCode | 'unknown';
  readonly message: string;
}

const REASON = /^([a-z_]{3,40}): ([\s\S]*)$/;

/** `<code>: <message>`: what dashboards show, and what {@link failureOf} reads. */
export function failedReason(code: JobFailureCode, message: string): string {
  return `${code}: ${message}`;
}

/**
 * Reads `failedReason` of a job that this package or BullMQ itself failed. Never throws.
 *
 * @example
 * if (failureOf(job.failedReason).code === 'outcome_unknown') await tellSomebody(job.id);
 */
export function failureOf(reason: string | undefined): JobFailure {
  const text = typeof reason === 'string' ? reason : '';
  if (text.startsWith('job stalled')) return { code: 'stalled', message: text };
  const [, code, message = ''] = REASON.exec(text) ?? [];
  // Only this package writes reasons of this form.
  return code === undefined ? { code: 'unknown', message: text } : { code: code as JobFailureCode, message };
}

/** The same text for an unknown id and for another tenant's, so that nobody learns which ids exist. */
export function jobNotFound(): JobError {
  return new JobError('not_found', 'There is no such job of this tenant.');
}

/** The message of an error, and what its `hint` says to try. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : '';
  return `${error.message}${hint}`;
}
