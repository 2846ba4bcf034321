import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { JobError, jobNotFound, reasonOf } from '../errors.js';
import { isPlainObject, typeOf } from '../job/fields.js';
import { assertTenant } from '../job/job-data.js';
import { isIdOfTenant } from '../job/job-id.js';
import { Keys } from '../redis/keys.js';
import { settled } from '../redis/time-limit.js';

/** For one call of Redis, in milliseconds. */
export const REDIS_MS = 10_000;

/** Names one job. A job is never looked up by its id alone. */
export interface JobAddress {
  /** Whose it is: what the caller's authentication says. */
  readonly tenant: string;
  readonly jobId: string;
}

/** Where jobs are: any process that has both can add, cancel and answer. */
export interface JobQueue {
  readonly queue: Queue;
  /** A client of ioredis to the same server. */
  readonly redis: Redis;
}

/** @throws JobError `invalid_job`. */
export function assertQueue(queue: unknown): asserts queue is Queue {
  const is = typeof queue === 'object' && queue !== null && typeof Reflect.get(queue, 'getJob') === 'function';
  if (!is) throw new JobError('invalid_job', `\`queue\` must be a Queue of BullMQ, got ${typeOf(queue)}.`);
}

/** @throws JobError `invalid_job`; `not_found`: the id is none of this tenant. */
export function assertAddress(at: JobQueue, address: JobAddress): void {
  if (!isPlainObject(at)) throw new JobError('invalid_job', `Pass { queue, redis } first, got ${typeOf(at)}.`);
  assertQueue(at.queue);
  if (typeof at.redis?.eval !== 'function') {
    throw new JobError('invalid_job', `\`redis\` must be a client of ioredis, got ${typeOf(at.redis)}.`);
  }
  if (!isPlainObject(address)) {
    throw new JobError('invalid_job', `The job must be an object with tenant and jobId, got ${typeOf(address)}.`);
  }
  const { tenant, jobId } = address;
  assertTenant(tenant);
  if (typeof jobId !== 'string' || !isIdOfTenant(jobId, tenant)) throw jobNotFound();
}

export function keysOf(queue: Queue): Keys {
  return new Keys({ queueName: queue.name, prefix: queue.opts.prefix ?? 'bull' });
}

/** @throws JobError `redis_failed`. */
export async function withRedis<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await settled(REDIS_MS, 'redis_failed', what, task);
  } catch (error) {
    if (error instanceof JobError) throw error;
    throw new JobError('redis_failed', `${what} failed: ${reasonOf(error)}`, { cause: error });
  }
}
