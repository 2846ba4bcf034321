import type { Outcome } from 'claudewire';
import { JobError, type JobErrorCode, reasonOf } from '../errors.js';
import { parseStoredJob } from '../job/job-data.js';
import type { JobContext } from './job-context.js';
import type { DelayReason, ProgressReporter } from './job-progress.js';
import type { JobResult } from './job-result.js';
import { isMove } from './moves.js';
import { backoff } from './verdict.js';

/** Remembers the result before BullMQ has it: whoever takes the job again returns the same. */
export async function finish(context: JobContext, progress: ProgressReporter, result: JobResult): Promise<JobResult> {
  await context.state.set({ result: JSON.stringify(result), running: '' });
  await progress.end({ state: 'ended', outcome: 'completed', sessionId: result.sessionId });
  return result;
}

/** @throws always. */
export async function fail(
  context: JobContext,
  code: JobErrorCode | Exclude<Outcome['kind'], 'completed'>,
  message: string,
): Promise<never> {
  const { state, moves, redactor } = context;
  // A retry by hand, from a dashboard, begins to count anew.
  await state.set({ attempts: '0', running: '', ask: '', answer: '' });
  await context.progressOf(state.attempts).end({ state: 'ended', outcome: code });
  throw moves.failed(code, redactor.text(message));
}

/** @throws always. */
export async function delay(
  context: JobContext,
  ms: number,
  reason: DelayReason,
  progress?: ProgressReporter,
  outcome?: string,
): Promise<never> {
  const { state, moves } = context;
  const until = Date.now() + ms;
  const reporter = progress ?? context.progressOf(state.attempts + 1);
  if (context.isCounted) await state.set({ running: '' });
  await reporter.end({ state: 'delayed', reason, until, ...(outcome === undefined ? {} : { outcome }) });
  await context.lease?.release();
  throw await moves.toDelayed(until);
}

/** @throws always. */
export async function handBack(context: JobContext, progress?: ProgressReporter): Promise<never> {
  await uncount(context, {});
  await (progress ?? context.progressOf(context.state.attempts + 1)).end({ state: 'handed_back' });
  // Before the job can be taken: the next worker should not find the session busy.
  await context.lease?.release();
  throw await context.moves.toWait();
}

/** This run does not count, and has left nothing that looks like a crash. */
export async function uncount(
  context: JobContext,
  fields: { readonly ask?: string; readonly answer?: string },
): Promise<void> {
  if (!context.isCounted) return;
  context.isCounted = false;
  const { state } = context;
  await state.set({ ...fields, attempts: String(Math.max(0, state.attempts - 1)), running: '' });
}

/** What a failure outside Claude Code means for the job. */
export async function asMove(context: JobContext, error: unknown): Promise<Error> {
  const { settings, moves, state, job, jobId } = context;
  const code = error instanceof JobError ? error.code : undefined;
  const isNotOurs = code === 'redis_failed' || code === 'taken';
  if (isNotOurs || code === undefined) settings.onError(error);
  // Redis has the job: nothing can be said about it now. A session store names refused connections too.
  if (isNotOurs || (code === undefined && isRedisError(error))) return moves.abandoned();
  try {
    if (code === 'store_failed') {
      const profile = settings.profiles.get(parseStoredJob(job.data, jobId).profile);
      const { attempts } = state;
      if (profile !== undefined && attempts < profile.retry.attempts) {
        settings.onError(error);
        await delay(context, backoff(attempts, profile.retry), 'retry', undefined, code);
      }
    }
    return await fail(context, code ?? 'failed', reasonOf(error));
  } catch (move) {
    return isMove(move) ? (move as Error) : moves.abandoned();
  }
}

/** Of the connection, or of a server that is going or coming. */
function isRedisError(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return ['ReplyError', 'AbortError', 'MaxRetriesPerRequestError', 'ParserError'].includes(name) || isConnection(error);
}

function isConnection(error: unknown): boolean {
  const text = reasonOf(error);
  return /Connection is closed|ECONN|EPIPE|Stream isn't writeable|LOADING/.test(text);
}
