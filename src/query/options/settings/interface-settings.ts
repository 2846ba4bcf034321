type Patience = '60s' | '5m' | '10m' | 'never';

/** What the terminal shows and how it takes input. Without effect on sessions of the SDK, but for answers that time out. */
export interface InterfaceSettings {
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
  spellcheck?: {
    enabled?: boolean;
    checker?: string;
    language?: string;
    color?: string;
    [key: string]: unknown;
  };
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
