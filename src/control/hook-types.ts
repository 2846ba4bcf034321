import type { JsonObject } from '../util/json.js';
import type { BaseHookInput, HookInput } from './hook-inputs.js';
import type { HookJSONOutput } from './hook-outputs.js';

export type * from './hook-inputs.js';
export type * from './hook-outputs.js';

/** Events that can carry a hook. Open set: the CLI accepts names newer than these. */
export const HOOK_EVENTS = [
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Notification'],
  ...['UserPromptSubmit', 'UserPromptExpansion', 'SessionStart', 'SessionEnd', 'Stop', 'StopFailure'],
  ...['SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'PreModelSwitch', 'PostModelSwitch'],
  ...['PermissionRequest', 'PermissionDenied', 'Setup', 'TeammateIdle', 'TaskCreated', 'TaskCompleted'],
  ...['Elicitation', 'ElicitationResult', 'ConfigChange', 'WorktreeCreate', 'WorktreeRemove'],
  ...['InstructionsLoaded', 'CwdChanged', 'FileChanged', 'DirectoryAdded', 'MessageDisplay'],
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/**
 * Answers one `hook_callback` of the CLI. A result of a wrong shape fails closed: PreToolUse and PermissionRequest deny,
 * UserPromptSubmit blocks, other events get an error answer. A throw is sent as an error, after which the CLI runs the
 * tool, unless `onHookError: 'deny'`.
 * @param options.signal - Aborts when the CLI withdraws the call (its own time-out, an interrupt) or the session ends.
 */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  /** The CLI's own pattern on the tool name (or the event's subject). Absent: every one. */
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. Enforced by the CLI, not by us. */
  timeout?: number;
  /** What the CLI does when the callback fails. Sent only when given. @defaultValue 'continue' */
  onFailure?: 'continue' | 'block';
}

/** The input of an event that this SDK does not know, as it came. */
export type UnknownHookInput = BaseHookInput & JsonObject;
