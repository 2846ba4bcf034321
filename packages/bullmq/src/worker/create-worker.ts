import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, Worker } from 'bullmq';
import { createProcessor } from '../run/processor.js';
import { numbers } from '../run/profile.js';
import { type ProcessorOptions, settingsOf } from '../run/settings.js';

export interface ClaudeWorkerOptions extends ProcessorOptions {
  /** BullMQ writes it to each job that the worker takes, as `processedBy`. @defaultValue none */
  readonly name?: string;
  /** Jobs at once. Each is a process of Claude Code, with some 250 MB. @defaultValue 1 */
  readonly concurrency?: number;
  /**
   * How long the lock on a job lasts. BullMQ renews it after half of that. A worker that is killed, or whose event loop
   * is blocked for longer, loses its jobs. Milliseconds. @defaultValue 30_000
   */
  readonly lockDurationMs?: number;
  /** How often workers look for jobs whose lock is over. Milliseconds. @defaultValue 30_000 */
  readonly stalledIntervalMs?: number;
}

export interface ClaudeWorker {
  /** BullMQ's own, for its events. */
  readonly worker: Worker;
  /**
   * Takes no more jobs, gives those that run `graceMs` to complete, interrupts the others and gives them back to the
   * queue. Bounded, also without Redis. SIGTERM is yours to catch.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** What closing may take beside the grace and the longest `interruptMs`: stores, the exit of processes, Redis. */
const CLOSING_MS = 30_000;

/**
 * A BullMQ worker with the settings that its jobs need.
 * @throws JobError `invalid_job`: names the option.
 */
export function createWorker(options: ClaudeWorkerOptions): ClaudeWorker {
  const { name, concurrency, lockDurationMs, stalledIntervalMs, ...rest } = options;
  const counts = numbers(
    'options',
    { concurrency: 1, lockDurationMs: 30_000, stalledIntervalMs: 30_000 },
    {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(lockDurationMs === undefined ? {} : { lockDurationMs }),
      ...(stalledIntervalMs === undefined ? {} : { stalledIntervalMs }),
    },
  );
  const { profiles, limits, onError, prefix, queueName, redis } = settingsOf(rest);
  const processor = createProcessor(rest);
  // A connection of its own: BullMQ waits in commands.
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  connection.on('error', onError);
  const worker = new Worker(
    queueName,
    // Its length says that it takes a signal.
    (job, token, signal) => processor(job, token, signal),
    {
      connection: connection as ConnectionOptions,
      ...(name === undefined ? {} : { name }),
      prefix,
      concurrency: counts.concurrency,
      lockDuration: counts.lockDurationMs,
      stalledInterval: counts.stalledIntervalMs,
      maxStalledCount: Math.max(...[...profiles.values()].map(({ retry }) => retry.attempts), 1),
    },
  );
  worker.on('error', onError);

  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const interruptMs = Math.max(...[...profiles.values()].map((profile) => profile.limits.interruptMs), 0);
    const closed = worker.close().catch(onError);
    const isOver = new AbortController();
    const { signal } = isOver;
    const wait = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => {});
    const handedBack = processor.handBack({ graceMs });
    // Without Redis BullMQ waits for it.
    const both = handedBack.then(() => Promise.race([closed, wait(limits.redisMs)]));
    await Promise.race([both, wait(graceMs + interruptMs + CLOSING_MS)]);
    isOver.abort();
    processor.close();
    connection.disconnect();
  };
  return {
    worker,
    close: ({ graceMs = 0 } = {}) => {
      closing ??= close(graceMs);
      return closing;
    },
  };
}
