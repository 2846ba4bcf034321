/** How the CLI works: on the project, in the shell, with memory, other sessions and time. */
export interface WorkSettings {
  /** Added to the memory files. */
  claudeMd?: string;
  claudeMdExcludes?: string[];
  language?: string;
  outputStyle?: string;
  agent?: string;
  plansDirectory?: string;
  includeGitInstructions?: boolean;
  /** What commits and pull requests say about who wrote them. */
  attribution?:
    | boolean
    | { commit?: string; pr?: string; sessionUrl?: boolean; [key: string]: unknown };
  attributionProject?: string;
  attributionProjectPolicy?: { default?: string };
  /** @deprecated Use `attribution`. */
  includeCoAuthoredBy?: boolean;
  prUrlTemplate?: string;
  respectGitignore?: boolean;
  fileSuggestion?: { type: 'command'; command: string };
  fileCheckpointingEnabled?: boolean;

  defaultShell?: 'bash' | 'powershell';
  bashEditDiffEnabled?: boolean;
  bashOutputMaxChars?: number;
  taskOutputMaxChars?: number;
  respondToBashCommands?: boolean;
  skipWebFetchPreflight?: boolean;

  worktree?: {
    symlinkDirectories?: string[];
    sparsePaths?: string[];
    baseRef?: 'fresh' | 'head';
    bgIsolation?: 'worktree' | 'none';
    location?: string;
  };
  sshConfigs?: {
    id: string;
    name: string;
    sshHost: string;
    sshPort?: number;
    sshIdentityFile?: string;
    startDirectory?: string;
  }[];
  sshHostCommands?: unknown[];
  remote?: { defaultEnvironmentId?: string };
  remoteControlAtStartup?: boolean;
  daemonColdStart?: 'transient' | 'ask';
  isolatePeerMachines?: boolean;
  crossSessionInbound?: 'accept' | 'hold' | 'refuse';
  autoUploadSessions?: boolean;
  teammateMode?: 'auto' | 'tmux' | 'iterm2' | 'in-process';

  autoMemoryEnabled?: boolean;
  autoMemoryDirectory?: string;
  autoDreamEnabled?: boolean;
  /** Days until transcripts are removed. */
  cleanupPeriodDays?: number;
  desktopSessionCleanupPeriodDays?: number;
  autoContinueAtUsageLimit?: boolean;
  useAutoModeDuringPlan?: boolean;
  autoUpdatesChannel?: 'latest' | 'stable' | 'rc';

  skillOverrides?: { [skill: string]: 'on' | 'name-only' | 'user-invocable-only' | 'off' };
  skillListingMaxDescChars?: number;
  /** Of the model's window. */
  skillListingBudgetFraction?: number;
  disableBundledSkills?: boolean;
  syncClaudeAiSkills?: boolean;
  syncClaudeAiPlugins?: boolean;
  enableArtifact?: boolean;
  enableWorkflows?: boolean;
  workflowSizeGuideline?: 'unrestricted' | 'small' | 'medium' | 'large';
  workflowKeywordTriggerEnabled?: boolean;
  todoFeatureEnabled?: boolean;
}
