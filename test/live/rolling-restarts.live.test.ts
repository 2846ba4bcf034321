import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { enqueue, failureOf } from '../../packages/bullmq/src/index.js';
import { connect } from '../../packages/bullmq/test/helpers/jobs.js';
import {
  buildWorker,
  seeded,
  startWorker,
  type WorkerSettings,
} from '../../packages/bullmq/test/helpers/worker-process.js';
import { startRedis } from '../../scripts/servers/redis.mjs';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';

const JOBS = Number(process.env.ROLLING_JOBS ?? 12);
const SEED = 35;
const WORKERS = 2;

/**
 * A model that makes its call again when the conversation says that it was not made. It does not repeat one whose own result it
 * has seen, which a worker may have got just before it was ended.
 */
function turnOf(body: unknown) {
  const { messages = [] } = Object(body) as { messages?: unknown[] };
  const text = JSON.stringify(messages);
  const job = /Deploy (\d+)\./.exec(text)?.[1];
  const isTold = /was interrupted before it was finished/.test(JSON.stringify(messages.slice(-1)));
  const hasRun = text.includes('(Bash completed with no output)');
  if (job === undefined || hasRun || (text.includes('"tool_result"') && !isTold)) return 'Done.';
  const command = `echo start ${job} >> ledger; sleep 4; echo end ${job} >> ledger`;
  return { blocks: [{ type: 'tool_use' as const, name: 'Bash', input: { command, description: 'Deploy' } }] };
}

function starts(folder: string): string[] {
  try {
    const lines = readFileSync(join(folder, 'ledger'), 'utf8').split('\n');
    return lines.filter((line) => line.startsWith('start'));
  } catch {
    return [];
  }
}

const limits = { timeout: 60_000 + JOBS * 15_000 };
test(`V-9: ${JOBS} jobs, workers ended in a row and Redis away: no tool starts twice`, limits, async () => {
  const program = await buildWorker('bullmq-rolling-worker');
  const stage = await setStage(CURRENT, { turns: [], fallback: ({ body }) => turnOf(body), strict: false });
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const redis = connect(server.port);
  const queue = new Queue('rolling', { connection: redis });
  queue.on('error', () => {});
  onTestFinished(async () => {
    await queue.close();
    redis.disconnect();
  });
  const { env = {}, pathToClaudeCodeExecutable: cli = '' } = stage.options();
  const settings: WorkerSettings = {
    ...{ port: server.port, queueName: 'rolling', folder: stage.cwd, cli, env, concurrency: 2, attempts: 20 },
    ...{ interruptMs: 3_000, hasEvents: false, lockDurationMs: 5_000, allowedTools: ['Bash'] },
  };
  const ids: string[] = [];
  for (let index = 0; index < JOBS; index += 1) {
    ids.push((await enqueue(queue, { profile: 'main', tenant: 'acme', prompt: `Deploy ${index}.` })).jobId);
  }
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(program, settings)));
  const random = seeded(SEED);
  const over = async () => (await queue.getCompletedCount()) + (await queue.getFailedCount());
  const begun = () => starts(stage.cwd).length;
  let restarts = 0;
  let absences = 0;
  for (;;) {
    // The next end comes while tools run: after one or two more have started, and every other time once a job has completed.
    const wanted = Math.min(begun() + 1 + Math.floor(random() * 2), JOBS);
    const before = await queue.getCompletedCount();
    const isTime = async () => begun() >= wanted && (restarts % 2 === 1 || (await queue.getCompletedCount()) > before);
    await expect.poll(async () => (await isTime()) || (await over()) === JOBS, { timeout: 60_000 }).toBe(true);
    if (begun() >= JOBS || (await over()) === JOBS) break;
    if (restarts % 4 === 1) {
      absences += 1;
      await server.kill();
      // Longer than the lease of 1.2 s.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await server.start();
    } else {
      const index = restarts % WORKERS;
      expect(await workers[index]?.end('SIGTERM')).toBe(0);
      workers[index] = await startWorker(program, settings);
    }
    restarts += 1;
  }
  await expect.poll(over, { timeout: limits.timeout, interval: 100 }).toBe(JOBS);
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
  const ends = await Promise.all(
    ids.map(async (id) => {
      const job = await queue.getJob(id);
      return (await job?.getState()) === 'completed' ? 'completed' : failureOf(job?.failedReason).code;
    }),
  );
  const count = (what: string) => ends.filter((end) => end === what).length;
  console.log(
    `seed ${SEED}, CLI ${CURRENT.version}: ${JOBS} jobs, ${restarts - absences} workers ended, Redis away ${absences} times: ` +
      `${count('completed')} completed, ${count('outcome_unknown')} unknown, ${starts(stage.cwd).length} starts`,
  );
  expect(new Set(starts(stage.cwd)).size).toBe(starts(stage.cwd).length);
  // A job that completed has done its work.
  const lazy = ends.flatMap((end, index) =>
    end === 'completed' && !starts(stage.cwd).includes(`start ${index}`) ? [index] : [],
  );
  expect(lazy).toEqual([]);
  expect(count('completed')).toBeGreaterThan(0);
  expect(count('completed') + count('outcome_unknown')).toBe(JOBS);
});
