import type { Options } from 'claudewire';
import { JobError, reasonOf } from '../errors.js';
import { isPlainObject, typeOf } from '../job/fields.js';
import type { ClaudeJob } from '../job/job-data.js';
import { settled } from '../redis/time-limit.js';

/** Options that belong to the worker: it decides which session runs, and when a run ends. */
const WORKER_OPTIONS = [
  'abortController',
  'continue',
  'deadlineMs',
  'forkSession',
  'loadTimeoutMs',
  'persistSession',
  'resume',
  'resumeDropsTurn',
  'resumeSessionAt',
  'sessionId',
  'sessionStore',
  'sessionStoreFlush',
] as const satisfies readonly (keyof Options)[];

export type ProfileOptions = Omit<Options, (typeof WORKER_OPTIONS)[number]>;

/** What a profile may know about a job. The prompt is not among it: a text must not choose what may be done. */
export type JobInfo = Pick<ClaudeJob, 'tenant' | 'labels' | 'profile'> & { readonly jobId: string };

/** How often a job is tried, and when again. */
export interface RetryPolicy {
  /** Runs of one job, those included whose worker was killed. Hand-backs and waits for a turn do not count. @defaultValue 5 */
  readonly attempts?: number;
  /** Before the second run, if nothing said when. Doubles with each. @defaultValue 1_000 */
  readonly delayMs?: number;
  /** It doubles up to here. @defaultValue 60_000 */
  readonly maxDelayMs?: number;
  /** A limit that resets later than this fails the job. @defaultValue 86_400_000, a day */
  readonly maxWaitMs?: number;
}

/** Times are milliseconds. */
export interface ProfileLimits {
  /** Of one run. Then the job fails with `deadline`. @defaultValue 1_800_000 */
  readonly turnMs?: number;
  /** How long an interrupted run has to end before its process is stopped. @defaultValue 10_000 */
  readonly interruptMs?: number;
  /** How long a job waits for {@link answer}. @defaultValue 604_800_000, a week */
  readonly askMs?: number;
  /** Characters of the answer in the job's return value. The session store has all of it. @defaultValue 65_536 */
  readonly resultLength?: number;
}

/** What jobs may choose by name: the worker's own code. */
export interface Profile {
  /** For `query()`. A function may give each tenant an environment of its own. */
  readonly options: ProfileOptions | ((job: JobInfo) => ProfileOptions | Promise<ProfileOptions>);
  readonly retry?: RetryPolicy;
  /**
   * A tool call was cut in the middle, so it may have taken effect. `stop` fails the job with `outcome_unknown`, `ask`
   * waits for {@link answer}, `retry` goes on and tells the model. @defaultValue 'stop'
   */
  readonly onUnknownToolCall?: 'stop' | 'ask' | 'retry';
  readonly limits?: ProfileLimits;
}

export type FullProfile = Omit<Profile, 'retry' | 'limits'> & {
  readonly retry: Required<RetryPolicy>;
  readonly limits: Required<ProfileLimits>;
  readonly onUnknownToolCall: 'stop' | 'ask' | 'retry';
};

const RETRY: Required<RetryPolicy> = { attempts: 5, delayMs: 1_000, maxDelayMs: 60_000, maxWaitMs: 86_400_000 };
const LIMITS: Required<ProfileLimits> = {
  turnMs: 1_800_000,
  interruptMs: 10_000,
  askMs: 604_800_000,
  resultLength: 65_536,
};

/** @throws JobError `invalid_job`: a profile cannot be used. */
export function fullProfiles(profiles: Readonly<Record<string, Profile>>): ReadonlyMap<string, FullProfile> {
  if (!isPlainObject(profiles)) throw invalid('profiles', `must be an object of profiles, got ${typeOf(profiles)}`);
  return new Map(
    Object.entries(profiles).map(([name, profile]) => {
      const at = `profiles.${name}`;
      if (!isPlainObject(profile)) throw invalid(at, `must be an object, got ${typeOf(profile)}`);
      const { options, onUnknownToolCall = 'stop' } = profile;
      if (typeof options !== 'function') checkOptions(options, `${at}.options`);
      if (!['stop', 'ask', 'retry'].includes(onUnknownToolCall)) {
        throw invalid(`${at}.onUnknownToolCall`, "must be 'stop', 'ask' or 'retry'");
      }
      const retry = numbers(`${at}.retry`, RETRY, profile.retry);
      if (retry.attempts > 100) throw invalid(`${at}.retry.attempts`, 'must be at most 100');
      return [name, { options, onUnknownToolCall, retry, limits: numbers(`${at}.limits`, LIMITS, profile.limits) }];
    }),
  );
}

/** @throws JobError `invalid_job`: the function failed, or gave what cannot be used. */
export async function optionsOf(profile: FullProfile, job: JobInfo, limitMs: number): Promise<ProfileOptions> {
  const { options } = profile;
  if (typeof options !== 'function') return options;
  const at = `profiles.${job.profile}.options()`;
  try {
    const made = await settled(limitMs, 'invalid_job', at, async () => options(job));
    checkOptions(made, at);
    return made;
  } catch (error) {
    if (error instanceof JobError) throw error;
    throw new JobError('invalid_job', `${at} failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** Fills in defaults. @throws JobError `invalid_job`: not a whole number above 0, or an unknown name. */
export function numbers<T extends { readonly [K in keyof T]: number }>(
  at: string,
  defaults: T,
  given: Partial<T> | undefined,
): T {
  const unknown = Object.keys(given ?? {}).filter((name) => !Object.hasOwn(defaults, name));
  if (unknown.length > 0) throw invalid(at, `has unknown fields: ${unknown.join(', ')}`);
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue;
    // Timers hold no more.
    const isUsable = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 2_147_483_647;
    if (!isUsable) throw invalid(`${at}.${name}`, 'must be a whole number from 1 to 2147483647');
  }
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

function checkOptions(options: unknown, at: string): asserts options is ProfileOptions {
  if (!isPlainObject(options)) throw invalid(at, `must be an object of options, got ${typeOf(options)}`);
  const taken = WORKER_OPTIONS.filter((name) => name in options);
  if (taken.length > 0) throw invalid(at, `has options that the worker sets itself: ${taken.join(', ')}`);
}

function invalid(at: string, problem: string): JobError {
  return new JobError('invalid_job', `\`${at}\` ${problem}.`);
}
