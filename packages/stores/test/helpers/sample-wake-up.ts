import type { WakeUp } from 'claudewire-server';

export function sampleWakeUp(over: Partial<WakeUp> = {}): WakeUp {
  return {
    ...{ wakeUpId: 'w1', prompt: 'Look.', schedule: '*/5 * * * *', recurring: true, dueAt: 1, fireAt: 1, ...over },
  };
}
