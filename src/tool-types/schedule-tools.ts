/** What runs later: cron jobs, wake-ups, triggers in the cloud. Points in time are milliseconds since the epoch. */

export type CronCreateInput = {
  /** Five fields, in local time. */
  cron: string;
  prompt: string;
  /** `false`: once. */
  recurring?: boolean;
  /** Outlives the session. */
  durable?: boolean;
};

export type CronCreateOutput = {
  id: string;
  humanSchedule: string;
  recurring: boolean;
  durable?: boolean;
  nextFireAt?: number;
  maxAgeMs?: number;
  otherOneShots?: { id: string; humanSchedule: string; prompt: string }[];
};

export type CronDeleteInput = {
  id: string;
};

export type CronDeleteOutput = {
  id: string;
  endedLoopWakeup?: true;
};

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface CronListInput {}

export type CronListOutput = {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring?: boolean;
    durable?: boolean;
    nextFireAt?: number;
  }[];
};

export type ScheduleWakeupInput = {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
};

export type ScheduleWakeupOutput = {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  cancelledWakeups?: number;
};

export type RemoteTriggerInput = {
  action:
    | 'list'
    | 'get'
    | 'create'
    | 'update'
    | 'run'
    | 'create_webhook_trigger'
    | 'list_runs'
    | 'get_run_log';
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: { [key: string]: unknown };
};

export type RemoteTriggerOutput = {
  /** HTTP status. */
  status: number;
  json: string;
  summary?: string;
};
