import type { ArtifactRead, EffortWord, Fields } from './common.js';

/** WebFetch and WebSearch. */

export type WebFetchInput = {
  url: string;
  /** What to find out about the page. */
  prompt: string;
  offset?: number;
};

export type WebFetchOutput = {
  url: string;
  /** The answer to the prompt. */
  result: string;
  /** HTTP status. */
  code: number;
  codeText: string;
  bytes: number;
  durationMs: number;
  artifactRead?: ArtifactRead;
};

export type WebSearchInput = { query: string; allowed_domains?: string[]; blocked_domains?: string[] };

export type WebSearchOutput = {
  query: string;
  /** Hits, and what the model said about them. */
  results: ({ tool_use_id: string; content: { title: string; url: string; snippet?: string }[] } | string)[];
  durationSeconds: number;
  searchCount?: number;
};

/** Tools of MCP servers, and the resources of those servers. */

/** As the tool's own schema says. */
export type McpInput = { [argument: string]: unknown };

export type McpOutput = string | { type: string; [key: string]: unknown }[] | { [key: string]: unknown };

export type ListMcpResourcesInput = {
  /** @defaultValue all servers */
  server?: string;
};

type McpResource = { uri: string; name: string; mimeType?: string };

export type ListMcpResourcesOutput = (McpResource & { description?: string; server: string })[];

export type ReadMcpResourceInput = { server: string; uri: string };

export type ReadMcpResourceOutput = {
  contents: {
    uri: string;
    mimeType?: string;
    text?: string;
    /** The file that binary content was written to. */
    blobSavedTo?: string;
  }[];
  error?: string;
};

export type ReadMcpResourceDirInput = { server: string; uri: string };

export type ReadMcpResourceDirOutput = { resources: McpResource[]; error?: string };

export type RefreshMcpToolsInput = {
  /** @defaultValue all servers */
  server?: string;
};

export type RefreshMcpToolsOutput = {
  server: string;
  /** After an `error` the tools are what they were. */
  status: 'refreshed' | 'error' | 'not_connected';
  toolCount?: number;
  added?: string[];
  removed?: string[];
  error?: string;
}[];

/** Projects of claude.ai, and Claude Design. */

export type ProjectsInput = {
  method: ProjectsOutput['method'];
  path?: string;
  content?: string;
  local_path?: string;
  present_to_user?: boolean;
  query?: string;
  /** Hits at most. */
  n?: number;
};

type Answer<Method extends string> = { method: Method; notice?: string };

type Dated = { created_at: string | null };

type MemoryFile = { path: string; size_bytes: number; updated_at: string | null; truncated: boolean };

/** Told apart by `method`. */
export type ProjectsOutput =
  | (Answer<'project_info'> & {
      local_file?: string;
      name: string;
      description: string;
      instructions: string;
      docs: (Dated & { path: string })[];
      files?: (Dated & { path: string; file_kind: string })[];
      sync_sources?: { type: string | null; config: Fields }[];
      knowledge: { knowledge_size: number; max_knowledge_size: number };
    })
  | (Answer<'project_read'> & Dated & { path: string; file_kind?: string; content?: string; local_file?: string })
  | (Answer<'project_search'> & {
      rag: boolean;
      hits?: { name?: string; doc_uuid?: string; text?: string; image_attached?: boolean; page?: number }[];
      docs?: string[];
    })
  | (Answer<'project_write'> & {
      path: string;
      doc_uuid: string;
      replaced: boolean;
      present_to_user?: boolean;
      local_path?: string;
    })
  | (Answer<'project_delete'> & { path: string; deleted: boolean })
  | (Answer<'project_memory_list'> & { files: MemoryFile[]; truncated: boolean })
  | (Answer<'project_memory_read'> & MemoryFile & { content?: string; local_file?: string });

export type ClaudeDesignInput = { operation: string; arguments: Fields };

export type ClaudeDesignOutput = { operation: string; content: Fields[]; isError?: boolean };

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

export type ReportFindingsInput = { level?: EffortWord; findings: Finding[] };

export type ReportFindingsOutput = ReportFindingsInput & { count: number };

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
  task_category?: 'code_edit' | 'debug' | 'explain' | 'plan' | 'shell' | 'search' | 'review' | 'other';
};

export type SendFeedbackOutput = { success: boolean; message: string };

export type PushNotificationInput = { message: string; status?: 'proactive' };

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
  notifications: { notification_id: string; origin: string; queued_at: string; content: string; arrived_at?: string }[];
  remaining: number;
  read_at?: string;
};

type Replacement = { old_string: string; new_string: string };

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
  proposals: [SkillProposal] | [SkillProposal, SkillProposal] | [SkillProposal, SkillProposal, SkillProposal];
};

export type ProposeSkillsOutput = { proposalCount: number };

export type ProposeGoalInput = { condition: string; ask_user?: boolean };

export type ProposeGoalOutput = { condition: string; askUser: boolean };

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface ShowOnboardingRolePickerInput {}

export type ShowOnboardingRolePickerOutput = { role?: string; dismissed?: boolean };

export type OfferChromeSetupInput = { reason?: string };

export type OfferChromeSetupOutput = { outcome: 'connected' | 'not_now' | 'no_attempt_yet' };
