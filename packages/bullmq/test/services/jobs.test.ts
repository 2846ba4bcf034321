import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { enqueue, failureOf } from '../../src/index.js';
import { makeJobs } from '../helpers/jobs.js';

let server: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

test('a job runs once, and returns what it came to', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId, conversationId } = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  const job = await jobs.job(jobId);
  expect(job?.returnvalue).toMatchObject({
    ...{ outcome: 'completed', text: 'Done.', attempts: 1, isResumed: false, isFromTranscript: false },
    ...{ eventsDropped: 0, hasTranscriptGap: false },
  });
  expect(job?.name).toBe('main');
  expect(job?.progress).toMatchObject({ state: 'ended', outcome: 'completed', attempt: 1 });
  const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
  expect(events.map(({ event }) => (event.type === 'message' ? event.message.type : event.type))).toEqual([
    ...['user_message', 'system', 'assistant', 'result', 'turn_ended'],
  ]);
  expect(jobs.turns()).toEqual(['start', 'end']);
  expect(jobs.errors).toEqual([]);
});

test('a job goes on with the session that it names', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const first = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(first.jobId)).toBe('completed');
  const { sessionId } = (await jobs.job(first.jobId))?.returnvalue ?? {};
  const second = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'And now?', sessionId });
  await expect.poll(() => jobs.stateOf(second.jobId)).toBe('completed');
  expect((await jobs.job(second.jobId))?.returnvalue).toMatchObject({ sessionId, isResumed: true });

  const foreign = await enqueue(jobs.queue, { profile: 'main', tenant: 'other', prompt: 'And now?', sessionId });
  await expect.poll(() => jobs.stateOf(foreign.jobId)).toBe('failed');
  expect(failureOf((await jobs.job(foreign.jobId))?.failedReason)).toMatchObject({ code: 'session_not_found' });
});
