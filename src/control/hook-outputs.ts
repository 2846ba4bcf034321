import type { PermissionUpdate } from './permission-types.js';

/** What the hooks of most events can say: text that the model gets. */
interface AdditionalContext {
  additionalContext?: string;
}

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

export interface PreToolUseHookSpecificOutput extends AdditionalContext {
  hookEventName: 'PreToolUse';
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** Runs the tool with this input instead. */
  updatedInput?: Record<string, unknown>;
}

export interface PostToolUseHookSpecificOutput extends AdditionalContext {
  hookEventName: 'PostToolUse';
  /** For the CLI's own judgement of what is safe, not for the model. */
  classifierContext?: string;
  /** What the model gets in place of the tool's result. */
  updatedToolOutput?: unknown;
  updatedMCPToolOutput?: unknown;
}

export interface PostToolUseFailureHookSpecificOutput extends AdditionalContext {
  hookEventName: 'PostToolUseFailure';
}

export interface PostToolBatchHookSpecificOutput extends AdditionalContext {
  hookEventName: 'PostToolBatch';
}

export interface PermissionRequestHookSpecificOutput {
  hookEventName: 'PermissionRequest';
  decision:
    | {
        behavior: 'allow';
        updatedInput?: Record<string, unknown>;
        updatedPermissions?: PermissionUpdate[];
      }
    | { behavior: 'deny'; message?: string; interrupt?: boolean };
}

export interface PermissionDeniedHookSpecificOutput {
  hookEventName: 'PermissionDenied';
  /** Lets the model try again. */
  retry?: boolean;
}

export interface NotificationHookSpecificOutput extends AdditionalContext {
  hookEventName: 'Notification';
}

export interface UserPromptSubmitHookSpecificOutput extends AdditionalContext {
  hookEventName: 'UserPromptSubmit';
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
}

export interface UserPromptExpansionHookSpecificOutput extends AdditionalContext {
  hookEventName: 'UserPromptExpansion';
  suppressOriginalPrompt?: boolean;
}

export interface MessageDisplayHookSpecificOutput {
  hookEventName: 'MessageDisplay';
  /** Shown in place of the piece. */
  displayContent?: string;
}

export interface StopHookSpecificOutput extends AdditionalContext {
  hookEventName: 'Stop';
}

export interface SubagentStartHookSpecificOutput extends AdditionalContext {
  hookEventName: 'SubagentStart';
}

export interface SubagentStopHookSpecificOutput extends AdditionalContext {
  hookEventName: 'SubagentStop';
}

export interface SetupHookSpecificOutput extends AdditionalContext {
  hookEventName: 'Setup';
}

export interface SessionStartHookSpecificOutput extends AdditionalContext {
  hookEventName: 'SessionStart';
  initialUserMessage?: string;
  sessionTitle?: string;
  /** Changes of these raise FileChanged. */
  watchPaths?: string[];
  reloadSkills?: boolean;
}

export interface PreModelSwitchHookSpecificOutput {
  hookEventName: 'PreModelSwitch';
  permissionDecision?: 'allow' | 'deny' | 'ask';
  permissionDecisionReason?: string;
}

export interface PostModelSwitchHookSpecificOutput extends AdditionalContext {
  hookEventName: 'PostModelSwitch';
}

export interface ElicitationHookSpecificOutput {
  hookEventName: 'Elicitation';
  /** Answers in the user's place. */
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}

export interface ElicitationResultHookSpecificOutput {
  hookEventName: 'ElicitationResult';
  /** Replaces the user's answer. */
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
}

export interface WorktreeCreateHookSpecificOutput {
  hookEventName: 'WorktreeCreate';
  /** Absolute path of the worktree that the hook has made. */
  worktreePath: string;
}

export interface CwdChangedHookSpecificOutput {
  hookEventName: 'CwdChanged';
  watchPaths?: string[];
}

export interface FileChangedHookSpecificOutput {
  hookEventName: 'FileChanged';
  watchPaths?: string[];
}

/** What only the hooks of one event can say. Hooks of other events have nothing of their own to say. */
export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | NotificationHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | MessageDisplayHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | SetupHookSpecificOutput
  | SessionStartHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput;

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

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
