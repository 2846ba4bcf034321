import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import type { SessionStore } from 'claudewire';
import type { ClaudeJob } from '../job/job-data.js';
import { conversationIdOf, derivedUuid } from '../job/job-id.js';
import { JobState } from '../redis/job-state.js';
import type { Keys } from '../redis/keys.js';
import type { Lease } from '../redis/lease.js';
import { settled } from '../redis/time-limit.js';
import { tenantSessionStore } from '../session/tenant-store.js';
import { EventWriter } from './event-writer.js';
import { ProgressReporter } from './job-progress.js';
import { Moves } from './moves.js';
import { Redactor } from './redactor.js';
import type { Settings } from './settings.js';

/** What belongs to one job while this worker has it. */
export class JobContext {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly job: Job;
  readonly jobId: string;
  readonly moves: Moves;
  readonly state: JobState;
  /** Of this run alone: a token of BullMQ serves several jobs. */
  readonly owner = randomUUID();
  redactor = new Redactor(process.env);
  lease: Lease | undefined;
  /** Counted for this run already. */
  isCounted = false;
  /** The session store did not take something. */
  hasGap = false;

  constructor(settings: Settings, keys: Keys, job: Job, token: string) {
    this.settings = settings;
    this.keys = keys;
    this.job = job;
    this.jobId = String(job.id);
    this.moves = new Moves(job, token, settings.limits.redisMs, settings.onError);
    this.state = new JobState(settings.redis, keys.job(this.jobId), settings.limits);
  }

  storeOf(tenant: string): SessionStore {
    const { sessionStore } = this.settings;
    return typeof sessionStore === 'function' ? sessionStore(tenant) : tenantSessionStore(sessionStore, tenant);
  }

  eventsOf(data: ClaudeJob): EventWriter {
    const { events: log, limits, onError } = this.settings;
    const key = { tenant: data.tenant, id: conversationIdOf(data, this.jobId) };
    return new EventWriter({ log, key, redactor: this.redactor, limitMs: limits.storeMs, onError });
  }

  progressOf(attempt: number): ProgressReporter {
    const { limits, onError } = this.settings;
    return new ProgressReporter(attempt, {
      send: (progress) =>
        settled(limits.redisMs, 'redis_failed', 'updateProgress', () =>
          this.job.updateProgress(this.redactor.value({ ...progress })),
        ),
      everyMs: limits.progressMs,
      onError,
    });
  }

  promptUuid(index: number): ReturnType<typeof derivedUuid> {
    return derivedUuid(this.jobId, 'prompt', String(index));
  }
}
