import { JobError, jobNotFound } from '../errors.js';
import { type Answer, checkAnswer } from './answer-data.js';
import { assertAddress, type JobAddress, type JobQueue, keysOf, withRedis } from './job-address.js';

/** KEYS: state of the job. ARGV: answer. 1: taken. 0: there is no question, or it has an answer. */
const ANSWER = `
local values = redis.call('HMGET', KEYS[1], 'ask', 'answer')
if not values[1] or values[1] == '' or (values[2] and values[2] ~= '') then return 0 end
redis.call('HSET', KEYS[1], 'answer', ARGV[1])
return 1`;

/**
 * Decides about a job that waits as `waiting_for_answer`, once: of several answers the first counts.
 * @throws JobError `not_found`; `not_waiting`; `invalid_job`; `redis_failed`.
 *
 * @example
 * await answer(at, { tenant, jobId }, { behavior: 'continue', note: 'The ticket was created: PRJ-7.' });
 */
export async function answer(at: JobQueue, address: JobAddress, decision: Answer): Promise<void> {
  assertAddress(at, address);
  checkAnswer(decision);
  const { queue, redis } = at;
  const { jobId } = address;
  const job = await withRedis('Reading the job', () => queue.getJob(jobId));
  if (job === undefined) throw jobNotFound();
  const key = keysOf(queue).job(jobId);
  const taken = await withRedis('Writing the answer', () => redis.eval(ANSWER, 1, key, JSON.stringify(decision)));
  if (taken !== 1) throw new JobError('not_waiting', 'The job waits for no answer, or has one.');
  if ((await withRedis('Reading the state of the job', () => job.getState())) === 'delayed') {
    await withRedis('Promoting the job', () => job.promote()).catch(() => {});
  }
}
