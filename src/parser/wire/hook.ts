import type { FrameIds } from './common.js';

type HookFields = FrameIds & {
  type: 'system';
  hook_id: string;
  hook_name: string;
  hook_event: string;
};

/** A command hook from the settings started. Never sent for callbacks of the SDK. */
export type SDKHookStartedMessage = HookFields & {
  subtype: 'hook_started';
};

export type SDKHookProgressMessage = HookFields & {
  subtype: 'hook_progress';
  stdout: string;
  stderr: string;
  output: string;
};

export type SDKHookResponseMessage = HookFields & {
  subtype: 'hook_response';
  output: string;
  stdout: string;
  stderr: string;
  exit_code?: number;
  outcome: 'success' | 'error' | 'cancelled';
};
