import type { FrameIds } from './common.js';

interface HookFields extends FrameIds {
  type: 'system';
  hook_id: string;
  hook_name: string;
  hook_event: string;
}

/** A command hook from the settings started. Never sent for callbacks of the SDK. */
export interface SDKHookStartedMessage extends HookFields {
  subtype: 'hook_started';
}

export interface SDKHookProgressMessage extends HookFields {
  subtype: 'hook_progress';
  stdout: string;
  stderr: string;
  output: string;
}

export interface SDKHookResponseMessage extends HookFields {
  subtype: 'hook_response';
  output: string;
  stdout: string;
  stderr: string;
  exit_code?: number;
  outcome: 'success' | 'error' | 'cancelled';
}
