import { Cron } from 'croner';
import { HostError } from '../errors.js';
import type { SessionCron } from './stop-input.js';

/** A prompt that a conversation sends itself at a set time: a wake-up, or a cron. */
export interface WakeUp {
  /** As Claude Code calls it. */
  readonly wakeUpId: string;
  readonly prompt: string;
  /** A cron expression, in the time zone of the process. */
  readonly schedule: string;
  /** Due again after it was sent. */
  readonly recurring: boolean;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  /** From then on a host sends it. It is later than `dueAt` while a process is there that sends it by itself. */
  readonly fireAt: number;
}

/** For stores: what has no time can never be found again. @throws HostError `invalid`. */
export function assertWakeUps(wakeUps: readonly WakeUp[]): void {
  if (!Array.isArray(wakeUps)) throw new HostError('invalid', 'Pass the wake-ups of a conversation as an array.');
  const index = (wakeUps as readonly unknown[]).findIndex((each) => !hasTimes(each));
  if (index < 0) return;
  throw new HostError(
    'invalid',
    `Wake-up ${index} needs \`dueAt\` and \`fireAt\` in epoch milliseconds, as finite numbers.`,
  );
}

function hasTimes(value: unknown): boolean {
  const { dueAt, fireAt } = (value ?? {}) as Partial<Record<keyof WakeUp, unknown>>;
  return Number.isFinite(dueAt) && Number.isFinite(fireAt);
}

/** When a host has to look at them. `Infinity` for none. */
export function firstOf(wakeUps: readonly WakeUp[]): number {
  return wakeUps.reduce((first, { fireAt }) => Math.min(first, fireAt), Number.POSITIVE_INFINITY);
}

/** What a process may be late by. It sends recurring prompts up to a tenth of their period late, at most 15 minutes. */
const LATE_MS = 60_000;
const RECURRING_LATE_MS = 16 * 60_000;

/** One that a process holds. `undefined`: its schedule cannot be read, or is never due. */
export function wakeUpOf(cron: SessionCron, now: number, timeZone?: string): WakeUp | undefined {
  const { id: wakeUpId, prompt, schedule, recurring } = cron;
  const dueAt = nextDue(schedule, now, timeZone);
  if (dueAt === undefined) return undefined;
  return { wakeUpId, prompt, schedule, recurring, dueAt, fireAt: dueAt + (recurring ? RECURRING_LATE_MS : LATE_MS) };
}

/** What is left of one when it is sent. `undefined`: nothing. */
export function afterFiring(wakeUp: WakeUp, now: number, timeZone?: string): WakeUp | undefined {
  const dueAt = wakeUp.recurring ? nextDue(wakeUp.schedule, now, timeZone) : undefined;
  return dueAt === undefined ? undefined : { ...wakeUp, dueAt, fireAt: dueAt };
}

function nextDue(schedule: string, now: number, timezone?: string): number | undefined {
  try {
    const next = new Cron(schedule, timezone === undefined ? {} : { timezone }).nextRun(new Date(now));
    return next?.getTime();
  } catch {
    return undefined;
  }
}
