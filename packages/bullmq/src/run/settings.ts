import type { SessionStore } from 'claudewire';
import type { EventLog } from 'claudewire-server';
import type { Redis } from 'ioredis';
import { JobError } from '../errors.js';
import { typeOf } from '../job/fields.js';
import type { TenantRate } from '../redis/tenant-rate.js';
import { type FullProfile, fullProfiles, numbers, type Profile } from './profile.js';

/** Times are milliseconds. */
export interface ProcessorLimits {
  /** How long the lease of a worker that was killed blocks its session. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** A job whose session is busy looks again after so long, or earlier when the lease ends. @defaultValue 1_000 */
  readonly busyMs?: number;
  /** For one call of the session store, of the event log, or of a profile's `options()`. @defaultValue 10_000 */
  readonly storeMs?: number;
  /** For one command of Redis. @defaultValue 10_000 */
  readonly redisMs?: number;
  /** `updateProgress()` is called at most so often. @defaultValue 1_000 */
  readonly progressMs?: number;
  /** How long results and cancels are remembered after the last change of a job. @defaultValue 604_800_000, a week */
  readonly keepMs?: number;
}

export const LIMITS: Required<ProcessorLimits> = {
  leaseMs: 30_000,
  busyMs: 1_000,
  storeMs: 10_000,
  redisMs: 10_000,
  progressMs: 1_000,
  keepMs: 604_800_000,
};

export interface ProcessorOptions {
  /** What jobs may choose, by name. */
  readonly profiles: Readonly<Record<string, Profile>>;
  /**
   * Where sessions are. All workers of a queue must see the same. One store is divided by {@link tenantSessionStore}; a
   * function gives each tenant a store of its own, which is used as it is.
   */
  readonly sessionStore: SessionStore | ((tenant: string) => SessionStore);
  /** Where the events of conversations go. @defaultValue nowhere */
  readonly events?: EventLog;
  /** A client of ioredis, which stays yours to close. Cancels are heard over a duplicate of it. */
  readonly redis: Redis;
  /** The name of the queue. */
  readonly queueName: string;
  /** As the `prefix` of the queue. @defaultValue 'bull' */
  readonly prefix?: string;
  /** How many jobs of a tenant may start in a time. Others are delayed. @defaultValue no limit */
  readonly tenantRate?: TenantRate | ((tenant: string) => TenantRate | undefined);
  readonly limits?: ProcessorLimits;
  /**
   * What went wrong without failing a job: a session store that refused something or is tried again, the event log,
   * progress, a connection. @defaultValue dropped
   */
  readonly onError?: (error: unknown) => void;
}

export interface Settings extends Omit<ProcessorOptions, 'profiles' | 'limits'> {
  readonly profiles: ReadonlyMap<string, FullProfile>;
  readonly prefix: string;
  readonly limits: Required<ProcessorLimits>;
  readonly onError: (error: unknown) => void;
}

/** @throws JobError `invalid_job`: names the option. */
export function settingsOf(options: ProcessorOptions): Settings {
  const { sessionStore, redis, queueName, onError = () => {}, prefix = 'bull' } = options;
  if (typeof sessionStore !== 'function' && (typeof sessionStore !== 'object' || sessionStore === null)) {
    throw new JobError('invalid_job', `\`sessionStore\` must be a SessionStore, got ${typeOf(sessionStore)}.`);
  }
  if (typeof redis?.duplicate !== 'function' || typeof redis.eval !== 'function') {
    throw new JobError('invalid_job', `\`redis\` must be a client of ioredis, got ${typeOf(redis)}.`);
  }
  if (typeof queueName !== 'string' || queueName === '') {
    throw new JobError('invalid_job', `\`queueName\` must be the name of the queue, got ${typeOf(queueName)}.`);
  }
  const limits = numbers('limits', LIMITS, options.limits);
  return {
    ...options,
    profiles: fullProfiles(options.profiles),
    prefix,
    limits,
    onError: (error) => {
      try {
        onError(error);
      } catch {
        // A listener must not end a job.
      }
    },
  };
}

/** @throws JobError `invalid_job`: `tenantRate` cannot be used. */
export function rateOf({ tenantRate }: Settings, tenant: string): TenantRate | undefined {
  const rate = typeof tenantRate === 'function' ? tenantRate(tenant) : tenantRate;
  if (rate === undefined) return undefined;
  return numbers('tenantRate', { jobs: 1, perMs: 1 }, rate);
}
