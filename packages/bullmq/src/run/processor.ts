import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { JobError } from '../errors.js';
import { CancelChannel } from '../redis/cancel-channel.js';
import { Keys } from '../redis/keys.js';
import type { JobResult } from './job-result.js';
import { JobRun } from './job-run.js';
import { type ProcessorOptions, settingsOf } from './settings.js';

/** What BullMQ calls for each job. */
export interface Processor {
  (job: Job, token?: string, signal?: AbortSignal): Promise<JobResult>;
  /**
   * Gives jobs back: those that run get `graceMs` to complete, and are then interrupted. Resolves when none is left.
   * Their worker must take no more: call `worker.close()` first, without waiting for it.
   */
  handBack(options: { readonly graceMs: number }): Promise<void>;
  /** Ends the subscription. After the worker is closed. */
  close(): void;
}

/**
 * Makes the processor of a BullMQ worker, for programs that make the worker themselves: set `maxStalledCount` of the
 * worker to the highest `attempts` of the profiles. {@link createWorker} does that.
 * @throws JobError `invalid_job`: names the option.
 */
export function createProcessor(options: ProcessorOptions): Processor {
  const settings = settingsOf(options);
  const keys = new Keys({ queueName: settings.queueName, prefix: settings.prefix });
  const channel = new CancelChannel(settings.redis, keys.cancels, settings.onError);
  const runs = new Map<JobRun, Promise<unknown>>();
  let isOver = false;

  // BullMQ gives a signal to functions that take three arguments.
  const processor = async (job: Job, token?: string, signal?: AbortSignal): Promise<JobResult> => {
    if (token === undefined) throw new JobError('invalid_job', 'The processor must be called by a worker of BullMQ.');
    const run = new JobRun(settings, keys, channel, job, token);
    const stop = (): void => run.stop('cancelled', 'The worker cancelled the job.');
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const result = run.process();
    runs.set(
      run,
      result.catch(() => {}),
    );
    if (isOver) run.stop('handed_back');
    try {
      return await result;
    } finally {
      signal?.removeEventListener('abort', stop);
      runs.delete(run);
    }
  };

  const handBack = async ({ graceMs }: { readonly graceMs: number }): Promise<void> => {
    const grace = new AbortController();
    const all = Promise.all(runs.values());
    await Promise.race([all, delay(graceMs, undefined, { signal: grace.signal }).catch(() => {})]);
    grace.abort();
    isOver = true;
    for (const run of runs.keys()) run.stop('handed_back');
    await Promise.all(runs.values());
  };

  return Object.assign(processor, { handBack, close: () => channel.close() });
}
