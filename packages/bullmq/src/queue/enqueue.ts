import type { JobsOptions, Queue } from 'bullmq';
import { JobError } from '../errors.js';
import { type Check, isPlainObject, typeOf } from '../job/fields.js';
import { type ClaudeJob, parseJob } from '../job/job-data.js';
import { conversationIdOf, dataDigest, jobIdOf } from '../job/job-id.js';
import { assertQueue, withRedis } from './job-address.js';

/** What may be said to BullMQ. Retries belong to the profile. */
export type EnqueueOptions = Pick<JobsOptions, 'delay' | 'lifo' | 'priority' | 'removeOnComplete' | 'removeOnFail'>;

const OPTIONS: Readonly<Record<keyof EnqueueOptions, Check>> = {
  delay: wholeNumber(Number.MAX_SAFE_INTEGER),
  lifo: (value) => (typeof value === 'boolean' ? undefined : `must be true or false, got ${typeOf(value)}`),
  // BullMQ takes no more.
  priority: wholeNumber(2_097_151),
  removeOnComplete: keep,
  removeOnFail: keep,
};

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
  assertQueue(queue);
  checkOptions(options);
  const jobId = jobIdOf(data);
  // The worker decides about retries: for BullMQ each job has one attempt.
  await withRedis('Adding the job', () => queue.add(data.profile, data, { ...options, jobId, attempts: 1 }));
  if (data.idempotencyKey !== undefined) await assertSame(queue, jobId, data);
  return { jobId, conversationId: conversationIdOf(data, jobId) };
}

/** @throws JobError `invalid_job`: BullMQ takes some of them as they are, and the job is never seen again. */
function checkOptions(options: unknown): asserts options is EnqueueOptions {
  if (!isPlainObject(options)) {
    throw new JobError('invalid_job', `\`options\` must be an object of options, got ${typeOf(options)}.`);
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown.length > 0) {
    throw new JobError('invalid_job', `Options that a job may not have: ${unknown.join(', ')}. See EnqueueOptions.`);
  }
  for (const [name, check] of Object.entries(OPTIONS)) {
    const wrong = options[name] === undefined ? undefined : check(options[name]);
    if (wrong !== undefined) throw new JobError('invalid_job', `\`options.${name}\` ${wrong}.`);
  }
}

function wholeNumber(most: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most
      ? undefined
      : `must be a whole number from 0 to ${most}, got ${typeof value === 'number' ? value : typeOf(value)}`;
}

/** As `KeepJobs` of BullMQ says: all, none, so many, or so many for so many seconds. */
function keep(value: unknown): string | undefined {
  if (typeof value === 'boolean' || Number.isInteger(value)) return undefined;
  const isObject = isPlainObject(value) && Object.values(value).every((each) => Number.isInteger(each));
  return isObject ? undefined : `must be true, false, a whole number or KeepJobs of BullMQ, got ${typeOf(value)}`;
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
