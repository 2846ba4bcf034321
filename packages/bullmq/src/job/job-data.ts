import { JobError } from '../errors.js';
import { type Check, checkFields, labels, text, uuid } from './fields.js';
import { isIdOfTenant } from './job-id.js';

/** What a job may say: data alone. Everything that Claude Code may do comes from the worker's profile. */
export interface ClaudeJob {
  /** A profile of the worker. At most 64 characters. */
  readonly profile: string;
  /** Whose job it is: what the caller's authentication says. At most 512 characters. */
  readonly tenant: string;
  /** At most 200,000 characters. */
  readonly prompt: string;
  /** A session of this tenant in the session store, to go on with. @defaultValue a new one */
  readonly sessionId?: string;
  /** Names the conversation in the event log. @defaultValue made from the job's id: see {@link conversationIdOf} */
  readonly conversationId?: string;
  /** For people and dashboards. At most 16, keys of 64 and values of 256 characters. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Two jobs of a tenant with the same key are one job. At most 256 characters. */
  readonly idempotencyKey?: string;
}

const REQUIRED: Readonly<Record<string, Check>> = { profile: text(64), tenant: text(512), prompt: text(200_000) };
const OPTIONAL: Readonly<Record<string, Check>> = {
  sessionId: uuid,
  conversationId: uuid,
  labels: labels(16, 64, 256),
  idempotencyKey: text(256),
};

/** @throws JobError `invalid_job`. */
export function parseJob(value: unknown): ClaudeJob {
  checkFields(value, 'a job', REQUIRED, OPTIONAL);
  // Every field was just checked.
  return value as unknown as ClaudeJob;
}

/**
 * The data of a job as it came out of Redis. Whoever can write there can invent jobs, but not more than a job may say.
 * @throws JobError `invalid_job`.
 */
export function parseStoredJob(value: unknown, jobId: unknown): ClaudeJob {
  const job = parseJob(value);
  if (typeof jobId === 'string' && isIdOfTenant(jobId, job.tenant)) return job;
  throw new JobError('invalid_job', 'The id of the job is none that enqueue() makes for its tenant.');
}

/** @throws JobError `invalid_job`. */
export function assertTenant(tenant: unknown): asserts tenant is string {
  const wrong = text(512)(tenant);
  if (wrong !== undefined) throw new JobError('invalid_job', `\`tenant\` ${wrong}.`);
}
