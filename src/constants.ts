/** Names and texts of the CLI, as data. */

/**
 * The CLI's own tools by name, as in `tools`, `disallowedTools`, permission rules and matchers of hooks.
 *
 * Some are off on a platform or by a setting, and the list is not complete: the `tools` field of a session's
 * `system/init` message has the tools of that session.
 */
export const BUILTIN_TOOL_NAMES = [
  ...['Agent', 'Artifact', 'AskUserQuestion', 'Bash', 'ClaudeDesign', 'CronCreate', 'CronDelete', 'CronList', 'Edit'],
  ...['EndConversation', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode', 'ExitWorktree', 'Glob', 'Grep'],
  ...['ListAgents', 'ListMcpResourcesTool', 'LSP', 'Monitor', 'NotebookEdit', 'OfferChromeSetup', 'PowerShell'],
  ...['Projects', 'propose_skills', 'PushNotification', 'Read', 'ReadMcpResourceDirTool', 'ReadMcpResourceTool'],
  ...['ReadNotifications', 'RemoteTrigger', 'ReportFindings', 'ScheduleWakeup', 'SendFeedback', 'SendMessage'],
  ...['SendUserFile', 'SendUserMessage', 'SetGoal', 'ShareOnboardingGuide', 'ShowOnboardingRolePicker', 'Skill'],
  ...['SubagentHandback', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskStop', 'TaskUpdate', 'TodoWrite', 'ToolSearch'],
  ...['WaitForMcpServers', 'WebFetch', 'WebSearch', 'Workflow', 'Write'],
] as const;

/** Former tool names that rules, matchers and tool lists still accept, each with the tool's name of today. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  KillBash: 'TaskStop',
  ListPeers: 'ListAgents',
  Brief: 'SendUserMessage',
  ListMcpResources: 'ListMcpResourcesTool',
  ReadMcpResource: 'ReadMcpResourceTool',
  ReadMcpResourceDir: 'ReadMcpResourceDirTool',
  ProposeGoal: 'SetGoal',
};

/** Reasons a `SessionEnd` hook can be given for the end of a session. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

/**
 * Marks, as an element of its own in a `systemPrompt` list, where the part ends that many sessions share and that the
 * API may cache across them. What follows belongs to one session.
 */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

// How texts about usage limits begin. The CLI writes plain text, so compare with `text.startsWith(prefix)`.

/** A usage limit was reached: the request failed. */
export const USAGE_LIMIT_ERROR_PREFIXES = [
  "You've hit your",
  "You've reached your",
  "You're out of usage credits",
  'Your org is out of usage · add funds to continue',
  'Your org is out of usage · contact your admin',
  "Your seat type doesn't include usage credits",
  "Your seat type doesn't include usage",
  'Your usage allocation has been disabled by your admin',
  "Your group's usage limit is set to $0",
  'Fable 5 requires usage credits',
  "You're out of extra usage",
  "Your seat type doesn't include extra usage",
] as const;

/** The session went over to another budget, such as credits. A notice, never an error. */
export const USAGE_TRANSITION_PREFIXES = [
  "You're now using usage credits",
  "You're now using your usage allocation",
  'Now using your usage allocation',
  'Now using usage credits',
  'Now using credits',
  "You're now using extra usage",
  'Now using extra usage',
] as const;

/** A limit comes near. A notice, never an error. */
export const USAGE_WARNING_PREFIXES = ["You've used", "You're close to"] as const;

/** An error like those of a limit, but an organization's policy forbids the service. */
export const ORG_POLICY_LIMIT_PREFIXES = ['This service is disabled for your org'] as const;

/** Why a turn has no real answer, on the synthetic `assistant` frame before an error result. */
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens'
  | 'cloud_credential_error';
