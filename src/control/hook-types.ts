import type { JsonObject } from '../util/json.js';
import type { PermissionResult, PermissionUpdate } from './permission-types.js';

/** Events that can carry a hook. Open set: the CLI accepts names newer than these. */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Fields every hook input has. Unknown fields pass through. */
export interface BaseHookInput {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  prompt_id?: string;
  /** Set inside a subagent. */
  agent_id?: string;
  agent_type?: string;
}

export interface PreToolUseHookInput extends BaseHookInput {
  hook_event_name: 'PreToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
}
export interface PostToolUseHookInput extends BaseHookInput {
  hook_event_name: 'PostToolUse';
  tool_name: string;
  tool_input: unknown;
  tool_response: unknown;
  tool_use_id: string;
  duration_ms?: number;
}
export interface PostToolUseFailureHookInput extends BaseHookInput {
  hook_event_name: 'PostToolUseFailure';
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  error: string;
  is_interrupt?: boolean;
  duration_ms?: number;
}
export interface UserPromptSubmitHookInput extends BaseHookInput {
  hook_event_name: 'UserPromptSubmit';
  prompt: string;
}
export interface StopHookInput extends BaseHookInput {
  hook_event_name: 'Stop';
  stop_hook_active: boolean;
  last_assistant_message?: string;
}
export interface SubagentStartHookInput extends BaseHookInput {
  hook_event_name: 'SubagentStart';
  agent_id: string;
  agent_type: string;
}
export interface SubagentStopHookInput extends BaseHookInput {
  hook_event_name: 'SubagentStop';
  stop_hook_active: boolean;
  agent_id: string;
  agent_transcript_path: string;
  agent_type: string;
  last_assistant_message?: string;
}
export interface PermissionRequestHookInput extends BaseHookInput {
  hook_event_name: 'PermissionRequest';
  tool_name: string;
  tool_input: unknown;
  permission_suggestions?: PermissionUpdate[];
}
export interface PreCompactHookInput extends BaseHookInput {
  hook_event_name: 'PreCompact';
  trigger: 'manual' | 'auto';
  custom_instructions: string | null;
}
export interface SessionStartHookInput extends BaseHookInput {
  hook_event_name: 'SessionStart';
  source: 'startup' | 'resume' | 'clear' | 'compact';
  model?: string;
}
export interface SessionEndHookInput extends BaseHookInput {
  hook_event_name: 'SessionEnd';
  reason: string;
}
export interface NotificationHookInput extends BaseHookInput {
  hook_event_name: 'Notification';
  message: string;
  title?: string;
  notification_type: string;
}

/** Events without fields of their own that are typed here; the object is the CLI's, unchanged. */
export interface OtherHookInput extends BaseHookInput {
  hook_event_name: Exclude<
    HookEvent,
    | 'PreToolUse'
    | 'PostToolUse'
    | 'PostToolUseFailure'
    | 'UserPromptSubmit'
    | 'Stop'
    | 'SubagentStart'
    | 'SubagentStop'
    | 'PermissionRequest'
    | 'PreCompact'
    | 'SessionStart'
    | 'SessionEnd'
    | 'Notification'
  >;
  [field: string]: unknown;
}

/** What a hook is called with: the CLI's object, unchanged. Discriminate by `hook_event_name`. */
export type HookInput =
  | PreToolUseHookInput
  | PostToolUseHookInput
  | PostToolUseFailureHookInput
  | UserPromptSubmitHookInput
  | StopHookInput
  | SubagentStartHookInput
  | SubagentStopHookInput
  | PermissionRequestHookInput
  | PreCompactHookInput
  | SessionStartHookInput
  | SessionEndHookInput
  | NotificationHookInput
  | OtherHookInput;

/** Goes on at once; the CLI does not wait for more. */
export interface AsyncHookJSONOutput {
  async: true;
  /** Milliseconds. */
  asyncTimeout?: number;
}

/** All fields optional: `{}` has no opinion. */
export interface SyncHookJSONOutput {
  /** `false` ends the turn. From PreToolUse the tool still runs: deny it to stop it. */
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: 'approve' | 'block';
  systemMessage?: string;
  /** A terminal escape sequence (notification or title) for the CLI to emit. */
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?: HookSpecificOutput;
}

export type HookSpecificOutput =
  | {
      hookEventName: 'PreToolUse';
      permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
      permissionDecisionReason?: string;
      updatedInput?: Record<string, unknown>;
      additionalContext?: string;
    }
  | {
      hookEventName: 'PostToolUse';
      additionalContext?: string;
      updatedToolOutput?: unknown;
      updatedMCPToolOutput?: unknown;
    }
  | {
      hookEventName: 'PermissionRequest';
      decision: PermissionResult;
    }
  | {
      hookEventName: Exclude<HookEvent, 'PreToolUse' | 'PostToolUse' | 'PermissionRequest'>;
      additionalContext?: string;
      [field: string]: unknown;
    };

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;

/**
 * Answers one `hook_callback` of the CLI.
 *
 * Returning nothing counts as `{}`, no opinion. A result of a wrong shape fails closed: PreToolUse and
 * PermissionRequest deny, UserPromptSubmit blocks, other events get an error answer. A throw is
 * sent as an error, after which the CLI runs the tool, unless `onHookError: 'deny'`.
 *
 * @param options.signal - Aborts when the CLI withdraws the call (its own time-out, an interrupt) or the session ends.
 */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only observes returns nothing
) => Promise<HookJSONOutput | void> | HookJSONOutput | void;

export interface HookCallbackMatcher {
  /** The CLI's own pattern on the tool name (or the event's subject). Absent: every one. */
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** Seconds. Enforced by the CLI, not by us. */
  timeout?: number;
  /** What the CLI does when the callback fails. Sent only when given. @defaultValue 'continue' */
  onFailure?: 'continue' | 'block';
}

/** A JSON object whose event this SDK does not know is handed over as it came. */
export type UnknownHookInput = BaseHookInput & JsonObject;
