import { JobError, jobNotFound } from '../errors.js';
import { text } from '../job/fields.js';
import { LIMITS } from '../run/settings.js';
import { assertAddress, type JobAddress, type JobQueue, keysOf, withRedis } from './job-address.js';

export interface CancelRequest extends JobAddress {
  /** Becomes part of `failedReason`. At most 500 characters. @defaultValue 'No reason was given.' */
  readonly reason?: string;
}

/**
 * Cancels a job, from any process: one that waits fails when a worker takes it, one that runs is interrupted. It ends as
 * `cancelled` and is never retried, unless its turn is completed before the interrupt takes effect. The request is a key
 * in Redis, kept for a week; a message only makes it quick.
 * @returns `requested`, or `ended`: the job was over.
 * @throws JobError `not_found`, `invalid_job`, `redis_failed`.
 */
export async function cancel(at: JobQueue, request: CancelRequest): Promise<'requested' | 'ended'> {
  assertAddress(at, request);
  const { jobId, reason = 'No reason was given.' } = request;
  const wrong = text(500)(reason);
  if (wrong !== undefined) throw new JobError('invalid_job', `\`reason\` ${wrong}.`);
  const { queue, redis } = at;
  const job = await withRedis('Reading the job', () => queue.getJob(jobId));
  if (job === undefined) throw jobNotFound();
  const state = await withRedis('Reading the state of the job', () => job.getState());
  if (state === 'completed' || state === 'failed') return 'ended';
  const keys = keysOf(queue);
  await withRedis('Writing the cancel', () => redis.set(keys.cancel(jobId), reason, 'PX', LIMITS.keepMs));
  await withRedis('Publishing the cancel', () => redis.publish(keys.cancels, jobId));
  // A delayed job need not wait for its time. Somebody may have promoted it already.
  if ((await withRedis('Reading the state of the job', () => job.getState())) === 'delayed') {
    await withRedis('Promoting the job', () => job.promote()).catch(() => {});
  }
  return 'requested';
}
