import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { FileSessionStore, type SessionStore } from 'claudewire';
import { type EventLog, InMemoryEventLog } from 'claudewire-server';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { writeJobCli } from '../../../server/bench/job-cli.mjs';
import {
  type ClaudeWorker,
  type ClaudeWorkerOptions,
  createWorker,
  type JobProgress,
  type Profile,
} from '../../src/index.js';

export const KEY = 'sk-canary-0123456789-abcdefghij';

/** A queue of its own on a server, with a fake CLI and stores in a folder. All of it goes when the test is over. */
export function makeJobs(port: number, options: { readonly env?: Record<string, string> } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-jobs-'));
  const redis = connect(port);
  const queueName = `q${Math.random().toString(36).slice(2)}`;
  const queue = new Queue(queueName, { connection: redis });
  queue.on('error', () => {});
  const sessionStore: SessionStore = new FileSessionStore(join(folder, 'sessions'));
  const events: EventLog = new InMemoryEventLog();
  const ledger = join(folder, 'ledger');
  const errors: unknown[] = [];
  const workers: ClaudeWorker[] = [];
  const env = {
    ...{ PATH: process.env.PATH, CLAUDE_CONFIG_DIR: join(folder, 'home'), JOB_LEDGER: ledger, ANTHROPIC_API_KEY: KEY },
    ...options.env,
  };
  const profile: Profile = {
    options: { pathToClaudeCodeExecutable: writeJobCli(folder), cwd: folder, env, settingSources: [] },
    retry: { delayMs: 20, maxDelayMs: 50 },
    limits: { interruptMs: 2_000 },
  };
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await queue.close();
    redis.disconnect();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    ...{ folder, redis, queue, queueName, sessionStore, events, ledger, errors, env, profile },
    /** For `cancel()` and `answer()`. */
    at: { queue, redis },
    worker(more: Partial<ClaudeWorkerOptions> = {}): ClaudeWorker {
      const worker = createWorker({
        ...{ redis, queueName, sessionStore, events, profiles: { main: profile }, stalledIntervalMs: 200 },
        ...{ lockDurationMs: 1_000, limits: { leaseMs: 1_500, busyMs: 30, progressMs: 1, ...more.limits } },
        onError: (error) => errors.push(error),
        ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'limits')),
      });
      workers.push(worker);
      return worker;
    },
    job(jobId: string) {
      return queue.getJob(jobId);
    },
    async stateOf(jobId: string): Promise<string> {
      return await queue.getJobState(jobId);
    },
    async progressOf(jobId: string): Promise<Partial<JobProgress>> {
      const progress = (await queue.getJob(jobId))?.progress;
      return typeof progress === 'object' ? progress : {};
    },
    /** `start`, `end`, `tool`, `waits` and `double`, in the order in which they came. */
    turns(): string[] {
      return linesOf(ledger).map((line) => line.split(' ')[0] ?? '');
    },
  };
}

export function connect(port: number): Redis {
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 50 });
  // A restarted server is a part of some tests.
  redis.on('error', () => {});
  return redis;
}

export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
