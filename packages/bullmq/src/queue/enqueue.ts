import type { JobsOptions, Queue } from 'bullmq';
import { JobError } from '../errors.js';
import { type ClaudeJob, parseJob } from '../job/job-data.js';
import { conversationIdOf, dataDigest, jobIdOf } from '../job/job-id.js';
import { withRedis } from './job-address.js';

/** What may be said to BullMQ. Retries belong to the profile. */
export type EnqueueOptions = Pick<JobsOptions, 'delay' | 'lifo' | 'priority' | 'removeOnComplete' | 'removeOnFail'>;

const ALLOWED: readonly (keyof EnqueueOptions)[] = ['delay', 'lifo', 'priority', 'removeOnComplete', 'removeOnFail'];

export interface Enqueued {
  /** For {@link cancel}, {@link answer} and `queue.getJob()`. */
  readonly jobId: string;
  /** Where the events of the job go. */
  readonly conversationId: string;
}

/**
 * Adds a job. With an `idempotencyKey` that the tenant has used, it is the job that there is: as long as BullMQ keeps it,
 * and for a week after its end.
 * @throws JobError `invalid_job`: names the field. `conflict`: the key belongs to another job. `redis_failed`.
 *
 * @example
 * await enqueue(queue, { profile: 'review', tenant: 'acme', prompt: 'Review the change.', idempotencyKey: 'pr-17' });
 */
export async function enqueue(queue: Queue, job: ClaudeJob, options: EnqueueOptions = {}): Promise<Enqueued> {
  const data = parseJob(job);
  const unknown = Object.keys(options).filter((name) => !(ALLOWED as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new JobError('invalid_job', `Options that a job may not have: ${unknown.join(', ')}. See EnqueueOptions.`);
  }
  const jobId = jobIdOf(data);
  // The worker decides about retries: for BullMQ each job has one attempt.
  await withRedis('Adding the job', () => queue.add(data.profile, data, { ...options, jobId, attempts: 1 }));
  if (data.idempotencyKey !== undefined) await assertSame(queue, jobId, data);
  return { jobId, conversationId: conversationIdOf(data, jobId) };
}

/** BullMQ keeps the first of two jobs with one id, and says nothing. */
async function assertSame(queue: Queue, jobId: string, data: ClaudeJob): Promise<void> {
  const stored = await withRedis('Reading the job', () => queue.getJob(jobId));
  if (stored === undefined) return;
  let isSame = false;
  try {
    isSame = dataDigest(parseJob(stored.data)) === dataDigest(data);
  } catch {
    // What is stored there is no job of ours.
  }
  if (isSame) return;
  throw new JobError('conflict', 'This idempotency key of the tenant belongs to a job with other data.');
}
