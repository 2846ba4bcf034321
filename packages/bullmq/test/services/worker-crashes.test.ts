import { QueueEvents } from 'bullmq';
import { FileEventLog } from 'claudewire-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { cancel, enqueue } from '../../src/index.js';
import { linesOf, makeJobs } from '../helpers/jobs.js';
import {
  buildWorker,
  seeded,
  startWorker,
  type WorkerProcess,
  type WorkerSettings,
} from '../helpers/worker-process.js';

let server: Awaited<ReturnType<typeof startRedis>>;
let program: string;
beforeAll(async () => {
  [server, program] = await Promise.all([startRedis(), buildWorker('bullmq-worker')]);
});
afterAll(async () => {
  await server.stop();
});

const JOB = { profile: 'main', tenant: 'acme' };

function settingsOf(jobs: ReturnType<typeof makeJobs>, more: Partial<WorkerSettings> = {}): WorkerSettings {
  const { folder, queueName, env } = jobs;
  const defaults = { concurrency: 1, attempts: 5, interruptMs: 2_000, hasEvents: true };
  return { port: server.port, queueName, folder, env, cli: `${folder}/job-cli`, ...defaults, ...more };
}

/** Counts what BullMQ says about each job, from its stream of events. */
async function watchOutcomes(jobs: ReturnType<typeof makeJobs>): Promise<Map<string, string[]>> {
  const watcher = new QueueEvents(jobs.queueName, { connection: { port: server.port, host: '127.0.0.1' } });
  watcher.on('error', () => {});
  onTestFinished(() => watcher.close());
  const seen = new Map<string, string[]>();
  const note = (outcome: string) => (said: { jobId: string }) => {
    seen.set(said.jobId, [...(seen.get(said.jobId) ?? []), outcome]);
  };
  watcher.on('completed', note('completed'));
  watcher.on('failed', note('failed'));
  await watcher.waitUntilReady();
  return seen;
}

test('1,000 jobs on 4 workers that are killed at random points have exactly 1,000 outcomes', async () => {
  const jobs = makeJobs(server.port, { env: { JOB_TURN_S: '0.01' } });
  const seen = await watchOutcomes(jobs);
  const random = seeded(16);
  const sessions = new Set<string>();
  const ids: string[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: `Job ${index}`, idempotencyKey: String(index) });
    ids.push(jobId);
  }
  const settings = settingsOf(jobs, { concurrency: 4, attempts: 20, hasEvents: false });
  const workers: WorkerProcess[] = await Promise.all([0, 1, 2, 3].map(() => startWorker(program, settings)));
  // A kill after so many outcomes: the points differ, and do not depend on the machine's speed alone.
  const kills = Array.from({ length: 8 }, () => Math.floor(random() * 900)).sort((a, b) => a - b);
  for (const count of kills) {
    await expect.poll(() => seen.size, { interval: 5 }).toBeGreaterThanOrEqual(count);
    const index = Math.floor(random() * workers.length);
    await workers[index]?.end('SIGKILL');
    workers[index] = await startWorker(program, settings);
  }
  await expect.poll(() => seen.size, { interval: 50 }).toBe(1_000);
  expect(ids.every((jobId) => seen.has(jobId))).toBe(true);
  expect([...seen.values()].filter((said) => said.length !== 1)).toEqual([]);
  expect(await jobs.queue.getJobCounts('completed', 'failed', 'waiting', 'active', 'delayed')).toMatchObject({
    ...{ completed: 1_000, failed: 0, waiting: 0, active: 0, delayed: 0 },
  });
  for (const jobId of ids) sessions.add((await jobs.job(jobId))?.returnvalue.sessionId);
  expect(sessions.size).toBe(1_000);
  expect(jobs.turns()).not.toContain('double');
  // A turn that was completed is not run again; one that was cut is.
  const starts = linesOf(jobs.ledger).filter((line) => line.startsWith('start'));
  expect(starts.length).toBeGreaterThanOrEqual(1_000);
  expect(starts.length).toBeLessThanOrEqual(1_000 + kills.length * 4);
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
});

test('a job whose worker is killed is resumed by another, and the killed run counts', async () => {
  const jobs = makeJobs(server.port);
  const first = await startWorker(program, settingsOf(jobs));
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toBeTruthy();
  await first.end('SIGKILL');
  await startWorker(program, settingsOf(jobs));
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
  const log = new FileEventLog(`${jobs.folder}/events`);
  const { events } = await log.read({ tenant: 'acme', id: conversationId }, 0, 100);
  const ends = events.flatMap(({ event }) => (event.type === 'turn_ended' ? [event.outcome] : []));
  expect(ends).toEqual(['crashed', 'completed']);
});

test('a job that ends every worker is given up when its attempts are used', async () => {
  const jobs = makeJobs(server.port);
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  // A lock that a busy machine does not lose: BullMQ takes the job away for that too.
  const settings = settingsOf(jobs, { attempts: 1, lockDurationMs: 5_000 });
  const first = await startWorker(program, settings);
  await expect.poll(() => jobs.turns()).toContain('waits');
  await first.end('SIGKILL');
  await startWorker(program, settings);
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect((await jobs.job(jobId))?.failedReason).toMatch(/^crashed: .*started 1 times/);
});

test('SIGTERM hands a job back, and the program ends by itself', async () => {
  const jobs = makeJobs(server.port);
  const first = await startWorker(program, settingsOf(jobs));
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  expect(await first.end('SIGTERM')).toBe(0);
  expect(await jobs.stateOf(jobId)).toBe('waiting');
  expect((await jobs.job(jobId))?.attemptsMade).toBe(0);
  await startWorker(program, settingsOf(jobs));
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 1, isResumed: true });
  const log = new FileEventLog(`${jobs.folder}/events`);
  const { events } = await log.read({ tenant: 'acme', id: conversationId }, 0, 100);
  const ends = events.flatMap(({ event }) => (event.type === 'turn_ended' ? [event.outcome] : []));
  expect(ends).toEqual(['interrupted', 'completed']);
});

test('a cancel from this process ends a run in another', async () => {
  const jobs = makeJobs(server.port);
  await startWorker(program, settingsOf(jobs));
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await cancel(jobs.at, { tenant: 'acme', jobId, reason: 'Stop it.' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect((await jobs.job(jobId))?.failedReason).toBe('cancelled: Stop it.');
  expect(jobs.turns()).toEqual(['start', 'waits', 'end']);
});

test('a cancel whose message is lost is found by the durable key', async () => {
  const jobs = makeJobs(server.port);
  await startWorker(program, settingsOf(jobs));
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await jobs.redis.set(`bull:${jobs.queueName}:claudewire:cancel:${jobId}`, 'Nobody was told.', 'PX', 60_000);
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect((await jobs.job(jobId))?.failedReason).toBe('cancelled: Nobody was told.');
});

test('Redis is killed and comes back in the middle: every job has one outcome', async () => {
  const jobs = makeJobs(server.port, { env: { JOB_TURN_S: '0.05' } });
  const ids: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    ids.push((await enqueue(jobs.queue, { ...JOB, prompt: `Job ${index}` })).jobId);
  }
  const settings = settingsOf(jobs, { concurrency: 4, attempts: 10 });
  await Promise.all([startWorker(program, settings), startWorker(program, settings)]);
  for (const count of [5, 25]) {
    await expect.poll(() => jobs.queue.getCompletedCount()).toBeGreaterThanOrEqual(count);
    await server.kill();
    await server.start();
  }
  await expect.poll(() => jobs.queue.getCompletedCount(), { interval: 50 }).toBe(60);
  expect(await jobs.queue.getJobCounts('failed', 'waiting', 'active')).toMatchObject({
    failed: 0,
    waiting: 0,
    active: 0,
  });
  for (const jobId of ids) expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ outcome: 'completed' });
  expect(jobs.turns()).not.toContain('double');
});

test('a worker that is told to end while Redis is away ends', async () => {
  const own = await startRedis();
  onTestFinished(() => own.stop());
  const jobs = makeJobs(own.port);
  const worker = await startWorker(program, { ...settingsOf(jobs), port: own.port });
  await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await own.kill();
  expect(await worker.end('SIGTERM')).toBe(0);
  await own.start();
});
