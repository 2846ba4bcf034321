import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { enqueue, failureOf } from '../../packages/bullmq/src/index.js';
import { connect } from '../../packages/bullmq/test/helpers/jobs.js';
import { buildWorker, startWorker, type WorkerSettings } from '../../packages/bullmq/test/helpers/worker-process.js';
import { startRedis } from '../../scripts/servers/redis.mjs';
import { CURRENT } from './support/clis.js';
import { processesWith } from './support/processes.js';
import { setStage } from './support/stage.js';
import { bash } from './support/turns.js';

let program: string;
beforeAll(async () => {
  program = await buildWorker('bullmq-live-worker');
});

const stops: (() => Promise<unknown>)[] = [];
// Before the stage looks for processes that were left behind.
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A queue on a Redis of its own, and workers that run the real CLI. The model makes its call again when it may. */
async function queueOn(onUnknownToolCall: WorkerSettings['onUnknownToolCall']) {
  const ledger = (folder: string): string => join(folder, 'ledger');
  const call = bash('echo start >> ledger; sleep 5; echo end >> ledger');
  const stage = await setStage(CURRENT, { turns: [call, call, 'Done.'], fallback: 'Done.', strict: false });
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redis = connect(server.port);
  const queue = new Queue('live', { connection: redis });
  queue.on('error', () => {});
  onTestFinished(async () => {
    await queue.close();
    redis.disconnect();
  });
  const { env = {}, pathToClaudeCodeExecutable: cli = '' } = stage.options();
  const settings: WorkerSettings = {
    ...{ port: server.port, queueName: 'live', folder: stage.cwd, cli, env, onUnknownToolCall },
    ...{ concurrency: 1, attempts: 5, interruptMs: 3_000, hasEvents: false, allowedTools: ['Bash'] },
  };
  return {
    ...{ stage, server, queue },
    async work() {
      const worker = await startWorker(program, settings);
      stops.push(() => worker.end('SIGKILL'));
      return worker;
    },
    starts: () => linesOf(ledger(stage.cwd)).filter((line) => line === 'start').length,
  };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

const JOB = { profile: 'main', tenant: 'acme', prompt: 'Deploy.' };

test('V-9: a tool that a rolling deploy cuts is not started again', { timeout: 120_000 }, async () => {
  const { queue, work, starts } = await queueOn(undefined);
  const first = await work();
  const { jobId } = await enqueue(queue, JOB);
  await expect.poll(starts, { timeout: 30_000 }).toBe(1);
  expect(await first.end('SIGTERM')).toBe(0);
  await work();
  await expect.poll(() => queue.getJobState(jobId), { timeout: 60_000 }).toBe('failed');
  expect(failureOf((await queue.getJob(jobId))?.failedReason)).toMatchObject({
    ...{ code: 'outcome_unknown', message: expect.stringMatching(/^Bash \(toolu_/) },
  });
  expect(starts()).toBe(1);
});

test('V-9: the model is told what is unknown, where a retry was chosen', { timeout: 120_000 }, async () => {
  const { queue, work, starts, stage } = await queueOn('retry');
  const first = await work();
  const { jobId } = await enqueue(queue, JOB);
  await expect.poll(starts, { timeout: 30_000 }).toBe(1);
  expect(await first.end('SIGTERM')).toBe(0);
  await work();
  await expect.poll(() => queue.getJobState(jobId), { timeout: 60_000 }).toBe('completed');
  const told = stage.api.requests.map(({ body }) => JSON.stringify(body));
  expect(told.filter((body) => /result of these tool calls is unknown[^"]*Bash \(toolu_/.test(body))).not.toEqual([]);
  expect(starts()).toBe(2);
});

test('V-9: a tool that an absent Redis cuts is not started again', { timeout: 120_000 }, async () => {
  const { queue, work, starts, server, stage } = await queueOn(undefined);
  await work();
  const { jobId } = await enqueue(queue, JOB);
  await expect.poll(starts, { timeout: 30_000 }).toBe(1);
  await server.kill();
  // The lease of the worker is 1.2 s, and the tool takes 5.
  const clis = () => processesWith(stage.folder).filter(({ command }) => command.startsWith(CURRENT.path)).length;
  await expect.poll(clis, { timeout: 30_000 }).toBe(0);
  await server.start();
  await expect.poll(() => queue.getJobState(jobId), { timeout: 60_000 }).toBe('failed');
  expect(failureOf((await queue.getJob(jobId))?.failedReason)).toMatchObject({ code: 'outcome_unknown' });
  expect(starts()).toBe(1);
});
