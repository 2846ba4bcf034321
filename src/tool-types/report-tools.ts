import type { EffortWord } from './common.js';

/** What is told or proposed to the user: findings, feedback, notifications, skills, goals, set-up. */

type Finding = {
  file: string;
  line?: number;
  summary: string;
  short_summary?: string;
  /** What goes wrong, and when. */
  failure_scenario: string;
  category?: string;
  severity?: 'important' | 'pre_existing' | 'nit';
  verdict?: 'CONFIRMED' | 'PLAUSIBLE';
  outcome?: 'fixed' | 'skipped' | 'no_change_needed';
};

export type ReportFindingsInput = {
  level?: EffortWord;
  findings: Finding[];
};

export type ReportFindingsOutput = ReportFindingsInput & {
  count: number;
};

export type SendFeedbackInput = {
  type: 'bug' | 'idea' | 'missing_capability';
  title: string;
  details: string;
  area?: string;
  failure_mode?:
    | 'instruction_following'
    | 'destructive_actions'
    | 'code_quality'
    | 'repetition_and_looping'
    | 'model_regression'
    | 'overconfidence_and_hallucination'
    | 'context_and_memory'
    | 'overeager'
    | 'over_correction'
    | 'stopping_short'
    | 'dispute_or_decline'
    | 'subagent_overspawn'
    | 'tone_or_preachiness'
    | 'excessive_questions'
    | 'unwanted_scope'
    | 'other';
  task_category?:
    | 'code_edit'
    | 'debug'
    | 'explain'
    | 'plan'
    | 'shell'
    | 'search'
    | 'review'
    | 'other';
};

export type SendFeedbackOutput = {
  success: boolean;
  message: string;
};

export type PushNotificationInput = {
  message: string;
  status?: 'proactive';
};

export type PushNotificationOutput = {
  message: string;
  pushSent?: boolean;
  localSent?: boolean;
  disabledReason?: 'config_off' | 'user_present' | 'no_transport';
  sentAt?: string;
};

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface ReadNotificationsInput {}

export type ReadNotificationsOutput = {
  notifications: {
    notification_id: string;
    origin: string;
    queued_at: string;
    content: string;
    arrived_at?: string;
  }[];
  remaining: number;
  read_at?: string;
};

type Replacement = {
  old_string: string;
  new_string: string;
};

type SkillProposal = {
  name: string;
  kind: 'new' | 'improvement';
  /** The skill to improve. */
  target?: string;
  description: string;
  evidence?: string[];
  edits?: [Replacement, ...Replacement[]];
  /** The text of a new skill. */
  skillMd?: string;
};

export type ProposeSkillsInput = {
  proposals:
    | [SkillProposal]
    | [SkillProposal, SkillProposal]
    | [SkillProposal, SkillProposal, SkillProposal];
};

export type ProposeSkillsOutput = {
  proposalCount: number;
};

export type ProposeGoalInput = {
  condition: string;
  ask_user?: boolean;
};

export type ProposeGoalOutput = {
  condition: string;
  askUser: boolean;
};

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface ShowOnboardingRolePickerInput {}

export type ShowOnboardingRolePickerOutput = {
  role?: string;
  dismissed?: boolean;
};

export type OfferChromeSetupInput = {
  reason?: string;
};

export type OfferChromeSetupOutput = {
  outcome: 'connected' | 'not_now' | 'no_attempt_yet';
};
