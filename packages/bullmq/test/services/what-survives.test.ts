import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { migrate, PostgresEventLog, PostgresSessionStore } from '../../../stores/src/postgres/index.js';
import { cuttingProxy } from '../../../stores/test/helpers/cutting-proxy.js';
import { newSchema, postgresPool, usePostgres } from '../../../stores/test/helpers/postgres-server.js';
import { enqueue, failureOf } from '../../src/index.js';
import { connect, linesOf, makeJobs } from '../helpers/jobs.js';
import { buildWorker, startWorker, type WorkerSettings } from '../helpers/worker-process.js';

let server: Awaited<ReturnType<typeof startRedis>>;
let program: string;
beforeAll(async () => {
  [server, program] = await Promise.all([startRedis(), buildWorker('bullmq-survivor')]);
});
afterAll(async () => {
  await server.stop();
});
const postgres = usePostgres();

const JOB = { profile: 'main', tenant: 'acme' };

type Jobs = ReturnType<typeof makeJobs>;

function settingsOf(jobs: Jobs, port: number): WorkerSettings {
  const { folder, queueName, env } = jobs;
  const rest = { concurrency: 1, attempts: 5, interruptMs: 2_000, hasEvents: true };
  return { port, queueName, folder, env, cli: `${folder}/job-cli`, ...rest };
}

/** Waits until what a killed worker must not lose is stored. @returns the process of the fake CLI. */
async function untilStored(jobs: Jobs, jobId: string, uuid = /./): Promise<number> {
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toMatch(uuid);
  const [, , pid] = linesOf(jobs.ledger)[0]?.split(' ') ?? [];
  return Number(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a tool that runs while its worker is killed is unknown, and is not run again', async () => {
  const jobs = makeJobs(server.port);
  const first = await startWorker(program, settingsOf(jobs, server.port));
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Cut' });
  await untilStored(jobs, jobId, /^.{36}c$/);
  await first.end('SIGKILL');
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect(failureOf((await jobs.job(jobId))?.failedReason)).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('Bash (toolu_1)'),
  });
  expect(jobs.turns().filter((what) => what === 'tool')).toHaveLength(1);
});

// V-9: the interrupted CLI stores a result of its own, so the call looked known, and was made again.
test.each(['stop', 'ask', 'retry'] as const)('V-9: SIGTERM while a tool runs: %s', async (onUnknownToolCall) => {
  const jobs = makeJobs(server.port);
  const first = await startWorker(program, settingsOf(jobs, server.port));
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Cut' });
  await untilStored(jobs, jobId, /^.{36}c$/);
  await expect.poll(() => jobs.turns()).toContain('tool');
  expect(await first.end('SIGTERM')).toBe(0);
  expect(await jobs.stateOf(jobId)).toBe('waiting');
  jobs.worker({ profiles: { main: { ...jobs.profile, onUnknownToolCall } } });
  const state = { stop: 'failed', ask: 'delayed', retry: 'completed' }[onUnknownToolCall];
  await expect.poll(() => jobs.stateOf(jobId)).toBe(state);
  const job = await jobs.job(jobId);
  if (onUnknownToolCall === 'stop') {
    expect(failureOf(job?.failedReason)).toMatchObject({ code: 'outcome_unknown' });
    expect(job?.failedReason).toContain('Bash (toolu_1)');
  } else if (onUnknownToolCall === 'ask') {
    const unknownCalls = [{ id: 'toolu_1', name: 'Bash' }];
    await expect.poll(() => jobs.progressOf(jobId)).toMatchObject({ state: 'waiting_for_answer', unknownCalls });
  } else {
    const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
    const prompts = events.flatMap(({ event }) => (event.type === 'user_message' ? [event.text] : []));
    expect(prompts.at(-1)).toMatch(/result of these tool calls is unknown.*Bash \(toolu_1\)/);
  }
  expect(jobs.turns().filter((what) => what === 'tool')).toHaveLength(1);
});

test('a turn whose Redis is away for longer than its lease is ended, and resumed when Redis is back', async () => {
  const own = await startRedis();
  onTestFinished(() => own.stop());
  const jobs = makeJobs(own.port);
  await startWorker(program, settingsOf(jobs, own.port));
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  const pid = await untilStored(jobs, jobId);
  expect(isAlive(pid)).toBe(true);
  await own.kill();
  await expect.poll(() => isAlive(pid)).toBe(false);
  await own.start();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
  expect(jobs.turns()).not.toContain('double');
});

test('a worker whose network to Redis is gone ends its turn before another worker resumes it', async () => {
  const jobs = makeJobs(server.port);
  const proxy = await cuttingProxy(server.port);
  const behind = connect(proxy.port);
  jobs.worker({ redis: behind, limits: { redisMs: 500 } });
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  const pid = await untilStored(jobs, jobId);
  proxy.stall();
  jobs.worker();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect(isAlive(pid)).toBe(false);
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
  // The second turn would be one if the first had still been open.
  expect(jobs.turns()).not.toContain('double');
  behind.disconnect();
});

test('a job whose PostgreSQL is killed is tried again until it is back, and resumes', async () => {
  const jobs = makeJobs(server.port);
  const schema = await newSchema(postgres.server.port);
  const pool = postgresPool(postgres.server.port, schema);
  await migrate(pool);
  const sessionStore = new PostgresSessionStore({ pool, tenant: 'jobs', timeoutMs: 300 });
  const events = new PostgresEventLog({ pool, timeoutMs: 300 });
  const retry = { attempts: 100, delayMs: 200, maxDelayMs: 500 };
  jobs.worker({ sessionStore, events, profiles: { main: { ...jobs.profile, retry } } });
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  const pid = await untilStored(jobs, jobId);
  const key = { tenant: 'acme', id: conversationId };
  await expect.poll(async () => (await events.read(key, 0, 100)).events.length).toBeGreaterThan(0);
  const before = await events.read(key, 0, 100);
  await postgres.server.kill();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => jobs.errors).toContainEqual(expect.objectContaining({ code: 'store_failed' }));
  await postgres.server.start();
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ isResumed: true, hasTranscriptGap: false });
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(2);
  const after = await events.read(key, 0, 100);
  expect(after.events.slice(0, before.events.length)).toEqual(before.events);
  expect(after.events.at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
});
