/**
 * Four workers, eight jobs, a kill, a resume and a cancel, on a Redis of its own and a scripted CLI. Started by
 * `npm run example -- workers`.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { execa } from 'execa';
import { Redis } from 'ioredis';
import { haveRedis, startRedis } from '../../../scripts/servers/redis.mjs';
import { writeJobCli } from '../../server/bench/job-cli.mjs';
import { cancel, enqueue } from '../dist/index.js';
import { JobLines } from './job-lines.mjs';

/** Past this the example has failed. */
const LIMIT_MS = 60_000;
const TENANT = 'example';

/** @returns the exit code. */
export async function runExample() {
  if (!(await haveRedis())) {
    console.error('error: there is no redis-server. Install Redis 7 (Debian: apt-get install redis-server), or set');
    console.error('REDIS_SERVER to its path.');
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'cw-workers-'));
  const server = await startRedis();
  const redis = new Redis({ port: server.port, host: '127.0.0.1', maxRetriesPerRequest: null });
  const queue = new Queue('reviews', { connection: redis });
  const workers = new Map();
  // Ctrl-C reaches the workers too; what they leave behind goes here.
  const isOver = new AbortController();
  process.once('SIGINT', () => isOver.abort());
  try {
    const cli = writeJobCli(folder);
    for (const name of ['worker 1', 'worker 2', 'worker 3', 'worker 4']) {
      const settings = { port: server.port, queueName: queue.name, folder, cli, name };
      workers.set(name, startWorker(settings));
    }
    await Promise.all([...workers.values()].map((worker) => once(worker.stdout, 'data')));
    return await tell({
      queue,
      redis,
      workers,
      signal: AbortSignal.any([isOver.signal, AbortSignal.timeout(LIMIT_MS)]),
    });
  } finally {
    for (const worker of workers.values()) worker.kill('SIGTERM');
    await Promise.allSettled(workers.values());
    await queue.close();
    redis.disconnect();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tell({ queue, redis, workers, signal }) {
  const lines = new JobLines();
  const asked = [
    // Words that the scripted CLI knows: it waits until somebody ends it.
    { label: 'a long review', prompt: 'Hang' },
    { label: 'an old change', prompt: 'Hang' },
    ...[3, 4, 5, 6, 7, 8].map((number) => ({ label: `change ${number}`, prompt: `Review change ${number}.` })),
  ];
  const jobs = [];
  for (const { label, prompt } of asked) {
    const { jobId } = await enqueue(queue, { profile: 'review', tenant: TENANT, prompt });
    jobs.push({ jobId, label });
  }
  lines.say(`${workers.size} workers, ${jobs.length} jobs`);
  const seen = {};
  while (!signal.aborted) {
    const rows = await Promise.all(jobs.map((job) => rowOf(queue, job)));
    lines.show(rows);
    const [first, second] = rows;
    if (seen.kill === undefined && first.isWaiting) {
      seen.kill = first.worker;
      lines.say(`SIGKILL for ${first.worker}, which works on "${first.label}"`);
      workers.get(first.worker)?.kill('SIGKILL');
    }
    if (seen.cancel === undefined && second.isWaiting) {
      seen.cancel = await cancel({ queue, redis }, { tenant: TENANT, jobId: jobs[1].jobId, reason: 'Not needed.' });
      lines.say(`cancel() for "${second.label}", from this process`);
    }
    if (rows.every(({ state }) => state === 'completed' || state === 'failed')) {
      const isRight = first.isResumed && second.text.startsWith('cancelled') && rows.slice(2).every(isCompleted);
      lines.say(isRight ? 'One job was resumed, one was cancelled, the others ran once.' : 'That went otherwise.');
      return isRight ? 0 : 1;
    }
    await delay(50, undefined, { signal }).catch(() => {});
  }
  lines.say('Ended before the jobs.');
  return 1;
}

function isCompleted({ state }) {
  return state === 'completed';
}

async function rowOf(queue, { jobId, label }) {
  // The state comes first: a job that was read before it ended has no result yet.
  const state = await queue.getJobState(jobId);
  const job = await queue.getJob(jobId);
  const { messages = 0, attempt = 0 } = job.progress || {};
  const result = state === 'completed' ? job.returnvalue : undefined;
  const texts = {
    completed: () => `${result.text} (run ${result.attempts}${result.isResumed ? ', resumed' : ''})`,
    failed: () => job.failedReason,
  };
  return {
    ...{ label, state, worker: job.processedBy ?? '', isResumed: result?.isResumed === true && result.attempts === 2 },
    text: texts[state]?.() ?? (attempt > 0 ? `run ${attempt}, ${messages} messages` : ''),
    isWaiting: state === 'active' && messages > 0 && attempt === 1,
  };
}

function startWorker(settings) {
  return execa(process.execPath, [fileURLToPath(new URL('./worker.mjs', import.meta.url))], {
    ...{ reject: false, buffer: false, stdin: 'ignore', stderr: 'inherit' },
    env: { WORKER: JSON.stringify(settings) },
  });
}
