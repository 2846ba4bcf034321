/** Plan mode and working trees. */

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface EnterPlanModeInput {}

export type EnterPlanModeOutput = {
  message: string;
};

export type ExitPlanModeInput = {
  /** Kinds of commands that the plan needs. */
  allowedPrompts?: { tool: 'Bash'; prompt: string }[];
  [key: string]: unknown;
};

export type ExitPlanModeOutput = {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  hasTaskTool?: boolean;
  planWasEdited?: boolean;
  awaitingLeaderApproval?: boolean;
  requestId?: string;
};

export type EnterWorktreeInput = {
  name?: string;
  path?: string;
};

export type EnterWorktreeOutput = {
  worktreePath: string;
  worktreeBranch?: string;
  message: string;
};

export type ExitWorktreeInput = {
  action: 'keep' | 'remove';
  discard_changes?: boolean;
};

export type ExitWorktreeOutput = {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  tmuxSessionName?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
};
