import type { HookInput } from 'claudewire';

export interface SessionCron {
  readonly id: string;
  readonly schedule: string;
  readonly recurring: boolean;
  readonly prompt: string;
}

/** The scheduled prompts that a process holds at the end of a turn. `undefined`: an older release, which does not say. */
export function sessionCronsOf(input: HookInput): readonly SessionCron[] | undefined {
  const crons: unknown = input.hook_event_name === 'Stop' ? input.session_crons : undefined;
  return Array.isArray(crons) ? crons.filter(isCron) : undefined;
}

function isCron(value: unknown): value is SessionCron {
  const { id, schedule, recurring, prompt } = (value ?? {}) as Partial<Record<keyof SessionCron, unknown>>;
  const isText = [id, schedule, prompt].every((text) => typeof text === 'string');
  return isText && typeof recurring === 'boolean';
}
