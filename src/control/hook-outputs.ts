import type { PermissionUpdate } from './permission-types.js';

/** What the hooks of most events can say: text that the model gets. */
type AdditionalContext = { additionalContext?: string };

/** Hooks of these events can say nothing else. */
export type PostToolUseFailureHookSpecificOutput = AdditionalContext & { hookEventName: 'PostToolUseFailure' };
export type PostToolBatchHookSpecificOutput = AdditionalContext & { hookEventName: 'PostToolBatch' };
export type NotificationHookSpecificOutput = AdditionalContext & { hookEventName: 'Notification' };
export type StopHookSpecificOutput = AdditionalContext & { hookEventName: 'Stop' };
export type SubagentStartHookSpecificOutput = AdditionalContext & { hookEventName: 'SubagentStart' };
export type SubagentStopHookSpecificOutput = AdditionalContext & { hookEventName: 'SubagentStop' };
export type SetupHookSpecificOutput = AdditionalContext & { hookEventName: 'Setup' };
export type PostModelSwitchHookSpecificOutput = AdditionalContext & { hookEventName: 'PostModelSwitch' };

export type HookPermissionDecision = 'allow' | 'deny' | 'ask' | 'defer';

export type PreToolUseHookSpecificOutput = AdditionalContext & {
  hookEventName: 'PreToolUse';
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** Runs the tool with this input instead. */
  updatedInput?: Record<string, unknown>;
};

export type PostToolUseHookSpecificOutput = AdditionalContext & {
  hookEventName: 'PostToolUse';
  /** For the CLI's own judgement of what is safe, not for the model. */
  classifierContext?: string;
  /** What the model gets in place of the tool's result. */
  updatedToolOutput?: unknown;
  updatedMCPToolOutput?: unknown;
};

export type PermissionRequestHookSpecificOutput = {
  hookEventName: 'PermissionRequest';
  decision:
    | { behavior: 'allow'; updatedInput?: Record<string, unknown>; updatedPermissions?: PermissionUpdate[] }
    | { behavior: 'deny'; message?: string; interrupt?: boolean };
};

export type PermissionDeniedHookSpecificOutput = {
  hookEventName: 'PermissionDenied';
  /** Lets the model try again. */
  retry?: boolean;
};

export type UserPromptSubmitHookSpecificOutput = AdditionalContext & {
  hookEventName: 'UserPromptSubmit';
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};

export type UserPromptExpansionHookSpecificOutput = AdditionalContext & {
  hookEventName: 'UserPromptExpansion';
  suppressOriginalPrompt?: boolean;
};

export type MessageDisplayHookSpecificOutput = {
  hookEventName: 'MessageDisplay';
  /** Shown in place of the piece. */
  displayContent?: string;
};

export type SessionStartHookSpecificOutput = AdditionalContext & {
  hookEventName: 'SessionStart';
  initialUserMessage?: string;
  sessionTitle?: string;
  /** Changes of these raise FileChanged. */
  watchPaths?: string[];
  reloadSkills?: boolean;
};

export type PreModelSwitchHookSpecificOutput = {
  hookEventName: 'PreModelSwitch';
  permissionDecision?: 'allow' | 'deny' | 'ask';
  permissionDecisionReason?: string;
};

export type ElicitationHookSpecificOutput = {
  hookEventName: 'Elicitation';
  /** Answers in the user's place. */
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};

export type ElicitationResultHookSpecificOutput = {
  hookEventName: 'ElicitationResult';
  /** Replaces the user's answer. */
  action?: 'accept' | 'decline' | 'cancel';
  content?: Record<string, unknown>;
};

export type WorktreeCreateHookSpecificOutput = {
  hookEventName: 'WorktreeCreate';
  /** Absolute path of the worktree that the hook has made. */
  worktreePath: string;
};

export type CwdChangedHookSpecificOutput = { hookEventName: 'CwdChanged'; watchPaths?: string[] };
export type FileChangedHookSpecificOutput = { hookEventName: 'FileChanged'; watchPaths?: string[] };

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
export type AsyncHookJSONOutput = {
  async: true;
  /** Milliseconds. */
  asyncTimeout?: number;
};

/** All fields optional: `{}` has no opinion. */
export type SyncHookJSONOutput = {
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
};

export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;
