import type { PermissionMode } from '../../control/permission-types.js';
import type { PluginSettings, PolicySettings, SandboxSettings } from './policy-settings.js';

/** A file has no `undefined`: optional fields are there with a value or not at all. */
type AsInFile<T> = T extends (infer Item)[]
  ? AsInFile<Item>[]
  : T extends object
    ? { [Field in keyof T]: AsInFile<Exclude<T[Field], undefined>> }
    : T;

/** Claude Code's settings, as in `settings.json`. Open: unknown keys reach the CLI. */
export interface Settings extends PolicySettings, PluginSettings, ModelSettings, WorkSettings, InterfaceSettings {
  $schema?: string;
  /** Variables for the CLI and its tools. Their presence moves the whole of `settings` off the command line. */
  env?: { [name: string]: string };
  permissions?: PermissionSettings;
  autoMode?: AutoModeSettings;
  sandbox?: AsInFile<SandboxSettings>;
  hooks?: HookSettings;
  [setting: string]: unknown;
}

/** What tools may do. Rules are written `Tool` or `Tool(pattern)`. Open: unknown keys reach the CLI. */
interface PermissionSettings {
  allow?: string[];
  deny?: string[];
  ask?: string[];
  /** The mode that sessions start in. */
  defaultMode?: PermissionMode;
  disableBypassPermissionsMode?: 'disable';
  disableAutoMode?: 'disable';
  /** Where a question would come, the answer is no. */
  denyInsteadOfPrompting?: boolean;
  additionalDirectories?: string[];
  blockReadsOutsideWorkingDirectories?: boolean;
  blockWritesOutsideWorkingDirectories?: boolean;
  /** Paths that may be read although they are outside. */
  blockReadsExemptPaths?: string[];
  workingDirectoriesAsGiven?: string[];
  workingDirectoriesExclude?: string[];
  [setting: string]: unknown;
}

/** How the `auto` mode judges, in sentences that its classifier reads. */
interface AutoModeSettings {
  allow?: string[];
  soft_deny?: string[];
  hard_deny?: string[];
  environment?: string[];
  classifyAllShell?: boolean;
}

type SettingEffort = 'low' | 'medium' | 'high' | 'xhigh';
type CacheTtl = '5m' | '1h';

interface EffortSettings {
  effortLevel?: SettingEffort;
  maxEffortLevel?: SettingEffort | 'max';
}

/** Models: which, how hard they think, what they cost. */
interface ModelSettings extends EffortSettings {
  model?: string;
  fallbackModel?: string[];
  /** Policy: the models that may be chosen. */
  availableModels?: string[];
  enforceAvailableModels?: boolean;
  availableModelsMatch?: 'prefix' | 'exact';
  deniedModels?: string[];
  /** What a provider calls a model, by the model's name. */
  modelOverrides?: { [model: string]: string };
  modelPicker?: {
    options: { model: string; label?: string; description?: string; behavesAs?: string }[];
    replaceBuiltInOptions?: boolean;
  };
  /** US dollars per million tokens. */
  modelPricing?: {
    multiplier?: number;
    overrides?: { [model: string]: { input: number; output: number; cacheRead: number; cacheWrite: number } };
  };
  modelSettings?: {
    [model: string]: EffortSettings & {
      /** Tokens. */
      autoCompactWindow?: 'auto' | number;
      [setting: string]: unknown;
    };
  };
  advisorModel?: string;
  switchModelsOnFlag?: boolean;
  alwaysThinkingEnabled?: boolean;
  showThinkingSummaries?: boolean;
  ultracode?: boolean;
  fastMode?: boolean;
  fastModePerSessionOptIn?: boolean;
  promptCacheTtl?: CacheTtl;
  subagentPromptCacheTtl?: CacheTtl;
  /** Tokens. */
  autoCompactWindow?: number;
  autoCompactEnabled?: boolean;
  precomputeCompactionEnabled?: boolean;
  idleCompaction?: boolean;
}

/** How the CLI works: on the project, in the shell, with memory, other sessions and time. */
interface WorkSettings {
  /** Added to the memory files. */
  claudeMd?: string;
  claudeMdExcludes?: string[];
  language?: string;
  outputStyle?: string;
  agent?: string;
  plansDirectory?: string;
  includeGitInstructions?: boolean;
  /** What commits and pull requests say about who wrote them. */
  attribution?: boolean | { commit?: string; pr?: string; sessionUrl?: boolean; [key: string]: unknown };
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

interface HookFields {
  /** A permission rule: the hook runs only for calls that match. */
  if?: string;
  /** Seconds. */
  timeout?: number;
  /** Shown while it runs. */
  statusMessage?: string;
  /** Runs once in a session, then is taken away. */
  once?: boolean;
}

interface Failing {
  onFailure?: 'continue' | 'block';
}

/** What runs when an event comes, told apart by `type`. */
type HookSetting =
  | (HookFields &
      Failing & {
        type: 'command';
        command: string;
        /** With these the command is run directly, not by a shell. */
        args?: string[];
        shell?: 'bash' | 'powershell';
        /** The turn does not wait for it. */
        async?: boolean;
        /** The same, and its end may wake the session. */
        asyncRewake?: boolean;
      })
  | (HookFields & { type: 'prompt'; prompt: string; model?: string; continueOnBlock?: boolean })
  | (HookFields & { type: 'agent'; prompt: string; model?: string })
  | (HookFields &
      Failing & {
        type: 'http';
        url: string;
        headers?: { [name: string]: string };
        /** Variables that headers may use. */
        allowedEnvVars?: string[];
      })
  | (HookFields &
      Failing & { type: 'mcp_tool'; server: string; tool: string; input?: { [argument: string]: unknown } });

/** Hooks by event name. */
interface HookSettings {
  [event: string]: {
    /** A pattern on the tool name, or on the event's subject. */
    matcher?: string;
    hooks: HookSetting[];
  }[];
}

type Patience = '60s' | '5m' | '10m' | 'never';

/** What the terminal shows and how it takes input. Without effect on sessions of the SDK, but for answers that time out. */
interface InterfaceSettings {
  theme?: string;
  tui?: 'default' | 'fullscreen';
  viewMode?: 'default' | 'verbose' | 'focus';
  defaultView?: 'chat' | 'transcript';
  verbose?: boolean;
  maxProseWidth?: number;
  syntaxHighlightingDisabled?: boolean;
  prefersReducedMotion?: boolean;
  autoScrollEnabled?: boolean;
  wheelScrollAccelerationEnabled?: boolean;
  /** `auto`, `12-hour`, `24-hour`, `24-hour-utc`, or a pattern. */
  timeFormat?: string;
  timeZone?: string;
  showTurnDuration?: boolean;
  showMessageTimestamps?: boolean;
  terminalProgressBarEnabled?: boolean;
  terminalTitleFromRename?: boolean;
  editorMode?: 'normal' | 'vim';
  keybindingFlavor?: 'classic' | 'readline';
  vimInsertModeRemaps?: { [keys: string]: unknown };
  emojiCompletionEnabled?: boolean;
  promptSuggestionEnabled?: boolean;
  spellcheck?: { enabled?: boolean; checker?: string; language?: string; color?: string; [key: string]: unknown };
  voice?: { enabled?: boolean; mode?: 'hold' | 'tap'; autoSubmit?: boolean };
  /** @deprecated Use `voice`. */
  voiceEnabled?: boolean;
  statusLine?: {
    type: 'command';
    command: string;
    padding?: number;
    /** Seconds. */
    refreshInterval?: number;
    hideVimModeIndicator?: boolean;
  };
  subagentStatusLine?: { type: 'command'; command: string };
  footerLinksRegexes?: (
    | { type: 'regex'; pattern: string; url: string; label?: string; [key: string]: unknown }
    | { type: string; [key: string]: unknown }
  )[];
  spinnerTipsEnabled?: boolean;
  spinnerVerbs?: { mode: 'append' | 'replace'; verbs: string[] };
  spinnerTipsOverride?: {
    excludeDefault?: boolean;
    tips?: (string | { [key: string]: unknown })[];
    tipsFile?: string;
    label?: string;
    [key: string]: unknown;
  };
  askUserQuestionTimeout?: Patience;
  dialogExpiry?: Patience;
  showClearContextOnPlanAccept?: boolean;
  skipDangerousModePermissionPrompt?: boolean;
  skipAutoPermissionPrompt?: boolean;
  preferredNotifChannel?:
    | 'auto'
    | 'iterm2'
    | 'terminal_bell'
    | 'iterm2_with_bell'
    | 'kitty'
    | 'ghostty'
    | 'notifications_disabled';
  inputNeededNotifEnabled?: boolean;
  agentPushNotifEnabled?: boolean;
  /** From 0 to 1. */
  feedbackSurveyRate?: number;
  feedbackDrafts?: 'notify' | 'quiet' | 'off';
}
