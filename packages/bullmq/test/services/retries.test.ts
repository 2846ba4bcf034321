import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { answer, cancel, enqueue, failureOf } from '../../src/index.js';
import { linesOf, makeJobs } from '../helpers/jobs.js';

let server: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

const JOB = { profile: 'main', tenant: 'acme' };

test('a 429 waits for its reset, and the retry resumes', async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3_600;
  const jobs = makeJobs(server.port, { env: { JOB_RESETS_AT: String(resetsAt) } });
  jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Limit' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('delayed');
  const job = await jobs.job(jobId);
  const { until = 0, ...progress } = await jobs.progressOf(jobId);
  expect(progress).toMatchObject({ state: 'delayed', reason: 'retry', outcome: 'rate_limited' });
  // In whole seconds, or a little later: a reset is not tried ahead of its time.
  expect(Math.floor(until / 1000)).toBeGreaterThanOrEqual(resetsAt - 1);
  expect(Math.floor(until / 1000)).toBeLessThanOrEqual(resetsAt + 120);
  expect(job?.attemptsMade).toBe(0);
  await job?.promote();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
});

test('an outcome that may end otherwise is tried again, as often as the profile allows', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ profiles: { main: jobs.profile, once: { ...jobs.profile, retry: { attempts: 1 } } } });
  const more = await enqueue(jobs.queue, { ...JOB, prompt: 'Overloaded' });
  const once = await enqueue(jobs.queue, { ...JOB, profile: 'once', prompt: 'Overloaded' });
  await expect.poll(() => jobs.stateOf(more.jobId)).toBe('completed');
  await expect.poll(() => jobs.stateOf(once.jobId)).toBe('failed');
  expect(failureOf((await jobs.job(once.jobId))?.failedReason)).toMatchObject({ code: 'overloaded' });
});

test('an outcome that ends the same way is not tried again', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Leak' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect(failureOf((await jobs.job(jobId))?.failedReason).code).toBe('auth');
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(1);
});

test('a running job is interrupted, one that is deaf is ended, and neither is tried again', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ profiles: { main: { ...jobs.profile, limits: { interruptMs: 100 } } } });
  for (const prompt of ['Hang', 'Deaf']) {
    const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt });
    await expect.poll(() => jobs.progressOf(jobId)).toMatchObject({ state: 'running', messages: 1 });
    expect(await cancel(jobs.at, { tenant: 'acme', jobId, reason: 'Not needed.' })).toBe('requested');
    await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
    expect((await jobs.job(jobId))?.failedReason).toBe('cancelled: Not needed.');
    expect(await cancel(jobs.at, { tenant: 'acme', jobId })).toBe('ended');
    const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
    expect(events.at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'interrupted' });
  }
});

test('a job that waits is cancelled before it starts, also one that is delayed for a day', async () => {
  const jobs = makeJobs(server.port);
  const waiting = await enqueue(jobs.queue, { ...JOB, prompt: 'Hello.' });
  const delayed = await enqueue(jobs.queue, { ...JOB, prompt: 'Hello.' }, { delay: 86_400_000 });
  for (const { jobId } of [waiting, delayed]) {
    const storm = Array.from({ length: 50 }, () => cancel(jobs.at, { tenant: 'acme', jobId, reason: 'Storm.' }));
    expect(new Set(await Promise.all(storm))).toEqual(new Set(['requested']));
  }
  jobs.worker();
  for (const { jobId } of [waiting, delayed]) {
    await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
    expect((await jobs.job(jobId))?.failedReason).toBe('cancelled: Storm.');
  }
  expect(jobs.turns()).toEqual([]);
});

test("another tenant's job cannot be cancelled or answered, and looks like none", async () => {
  const jobs = makeJobs(server.port);
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hello.' });
  const none = `${jobId.slice(0, -1)}${jobId.endsWith('0') ? '1' : '0'}`;
  for (const address of [
    { tenant: 'other', jobId },
    { tenant: 'acme', jobId: none },
    { tenant: 'acme', jobId: `${jobId}:lock` },
    { tenant: 'acme', jobId: '*' },
  ]) {
    const says = { code: 'not_found', message: 'There is no such job of this tenant.' };
    await expect(cancel(jobs.at, address)).rejects.toMatchObject(says);
    await expect(answer(jobs.at, address, { behavior: 'continue' })).rejects.toMatchObject(says);
  }
  await expect(answer(jobs.at, { tenant: 'acme', jobId }, { behavior: 'stop' })).rejects.toMatchObject({
    code: 'not_waiting',
  });
});

test('a turn that the transcript shows as completed is not run again', async () => {
  const jobs = makeJobs(server.port);
  const first = jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Answered' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await expect
    .poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored'))
    .toMatch(/^.{36}a$/);
  await first.close();
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ text: 'All done.', isFromTranscript: true });
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(1);
});

test('a worker that closes gives its job back, and the next one resumes it without counting', async () => {
  const jobs = makeJobs(server.port);
  const first = jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await first.close({ graceMs: 10 });
  expect(await jobs.stateOf(jobId)).toBe('waiting');
  expect(await jobs.progressOf(jobId)).toMatchObject({ state: 'handed_back' });
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 1, isResumed: true });
});

test('a process that ends in its turn is followed by another, which resumes', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toBeTruthy();
  const [, , pid] = linesOf(jobs.ledger)[0]?.split(' ') ?? [];
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
  const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
  const ends = events.flatMap(({ event }) => (event.type === 'turn_ended' ? [event.outcome] : []));
  expect(ends).toEqual(['crashed', 'completed']);
});

/** Ends a worker while a tool runs, as far as the session can see. */
async function cutTool(jobs: ReturnType<typeof makeJobs>, prompt: string) {
  const first = jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt });
  await expect.poll(() => jobs.turns()).toContain('tool');
  const stored = prompt === 'Tool' ? /^tool$/ : /^.{36}c$/;
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toMatch(stored);
  await first.close();
  expect(await jobs.stateOf(jobId)).toBe('waiting');
  return jobId;
}

test('a tool call whose result is stored is not run again, and is not unknown', async () => {
  const jobs = makeJobs(server.port);
  const jobId = await cutTool(jobs, 'Tool');
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect(jobs.turns().filter((what) => what === 'tool')).toHaveLength(1);
});

test('a tool call that was cut is unknown, and `stop` fails the job with it', async () => {
  const jobs = makeJobs(server.port);
  const jobId = await cutTool(jobs, 'Cut');
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  const { code, message } = failureOf((await jobs.job(jobId))?.failedReason);
  expect(code).toBe('outcome_unknown');
  expect(message).toContain('Bash (toolu_1)');
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(1);
});

test('a call that was recorded and never reached the transcript is unknown too', async () => {
  const jobs = makeJobs(server.port);
  const first = jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await first.close();
  await jobs.redis.hset(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'call:toolu_9', 'Write');
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect((await jobs.job(jobId))?.failedReason).toMatch(/^outcome_unknown: Write \(toolu_9\)/);
});

test('`retry` goes on, and tells the model what is unknown', async () => {
  const jobs = makeJobs(server.port);
  const jobId = await cutTool(jobs, 'Cut');
  jobs.worker({ profiles: { main: { ...jobs.profile, onUnknownToolCall: 'retry' } } });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect(await promptsOf(jobs, jobId)).toEqual(['Cut', expect.stringContaining('Bash (toolu_1)')]);
});

test('`ask` waits as a state, and goes on with the answer, of which the first counts', async () => {
  const jobs = makeJobs(server.port);
  const jobId = await cutTool(jobs, 'Cut');
  jobs.worker({ profiles: { main: { ...jobs.profile, onUnknownToolCall: 'ask' } } });
  const waits = { state: 'waiting_for_answer', unknownCalls: [{ id: 'toolu_1', name: 'Bash' }] };
  await expect.poll(() => jobs.progressOf(jobId)).toMatchObject(waits);
  await expect.poll(() => jobs.stateOf(jobId)).toBe('delayed');
  // Promoted by somebody who has not answered.
  await (await jobs.job(jobId))?.promote();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('delayed');
  const decide = (note: string) => answer(jobs.at, { tenant: 'acme', jobId }, { behavior: 'continue', note });
  const decided = await Promise.allSettled([decide('It was deployed.'), decide('It was not.')]);
  expect(decided.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  const [, prompt] = await promptsOf(jobs, jobId);
  expect(prompt).toMatch(/Bash \(toolu_1\)[\s\S]*About these calls: It was (not|deployed)\./);
});

test('an answer can stop the job, and without one it fails when its time is over', async () => {
  const jobs = makeJobs(server.port);
  const stopped = await cutTool(jobs, 'Cut');
  const ask = { ...jobs.profile, onUnknownToolCall: 'ask' as const };
  const asking = jobs.worker({ profiles: { main: ask } });
  await expect.poll(() => jobs.stateOf(stopped)).toBe('delayed');
  await answer(jobs.at, { tenant: 'acme', jobId: stopped }, { behavior: 'stop' });
  await expect.poll(() => jobs.stateOf(stopped)).toBe('failed');
  expect((await jobs.job(stopped))?.failedReason).toMatch(/^outcome_unknown: .*Somebody decided to stop/);
  await asking.close();

  const late = makeJobs(server.port);
  const jobId = await cutTool(late, 'Cut');
  late.worker({ profiles: { main: { ...ask, options: late.profile.options, limits: { askMs: 1 } } } });
  await expect.poll(() => late.stateOf(jobId)).toBe('failed');
  expect((await late.job(jobId))?.failedReason).toMatch(/^outcome_unknown: .*Nobody answered/);
});

async function promptsOf(jobs: ReturnType<typeof makeJobs>, jobId: string): Promise<string[]> {
  const { conversationIdOf } = await import('../../src/job/job-id.js');
  const id = conversationIdOf({ ...JOB, prompt: '' }, jobId);
  const { events } = await jobs.events.read({ tenant: 'acme', id }, 0, 1_000);
  return events.flatMap(({ event }) => (event.type === 'user_message' ? [event.text] : []));
}
