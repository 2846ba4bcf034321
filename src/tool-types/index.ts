/**
 * Inputs and outputs of the CLI's built-in tools: what a permission callback or a hook gets as `input`, and what `tool_use_result` of a
 * user message holds. Types only. A newer CLI may send more than they list.
 */
import type { AgentInput, AgentOutput, WorkflowInput, WorkflowOutput } from './agent-tools.js';
import type { ArtifactInput } from './artifact-input.js';
import type { ArtifactOutput } from './artifact-output.js';
import type {
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  NotebookEditInput,
  NotebookEditOutput,
} from './file-tools.js';
import type {
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  McpOutput,
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput,
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
  RefreshMcpToolsInput,
  RefreshMcpToolsOutput,
} from './mcp-tools.js';
import type {
  EnterPlanModeInput,
  EnterPlanModeOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
} from './plan-tools.js';
import type {
  ClaudeDesignInput,
  ClaudeDesignOutput,
  ProjectsInput,
  ProjectsOutput,
} from './project-tools.js';
import type { AskUserQuestionInput, AskUserQuestionOutput } from './question-tools.js';
import type {
  OfferChromeSetupInput,
  OfferChromeSetupOutput,
  ProposeGoalInput,
  ProposeGoalOutput,
  ProposeSkillsInput,
  ProposeSkillsOutput,
  PushNotificationInput,
  PushNotificationOutput,
  ReadNotificationsInput,
  ReadNotificationsOutput,
  ReportFindingsInput,
  ReportFindingsOutput,
  SendFeedbackInput,
  SendFeedbackOutput,
  ShowOnboardingRolePickerInput,
  ShowOnboardingRolePickerOutput,
} from './report-tools.js';
import type {
  CronCreateInput,
  CronCreateOutput,
  CronDeleteInput,
  CronDeleteOutput,
  CronListInput,
  CronListOutput,
  RemoteTriggerInput,
  RemoteTriggerOutput,
  ScheduleWakeupInput,
  ScheduleWakeupOutput,
} from './schedule-tools.js';
import type { GlobInput, GlobOutput, GrepInput, GrepOutput } from './search-tools.js';
import type { BashInput, BashOutput, MonitorInput, MonitorOutput } from './shell-tools.js';
import type {
  TaskCreateInput,
  TaskCreateOutput,
  TaskGetInput,
  TaskGetOutput,
  TaskListInput,
  TaskListOutput,
  TaskStopInput,
  TaskStopOutput,
  TaskUpdateInput,
  TaskUpdateOutput,
  TodoWriteInput,
  TodoWriteOutput,
} from './task-tools.js';
import type {
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
} from './web-tools.js';

export type * from './agent-tools.js';
export type * from './artifact-input.js';
export type * from './artifact-output.js';
export type * from './file-tools.js';
export type * from './mcp-tools.js';
export type * from './plan-tools.js';
export type * from './project-tools.js';
export type * from './question-tools.js';
export type * from './report-tools.js';
export type * from './schedule-tools.js';
export type * from './search-tools.js';
export type * from './shell-tools.js';
export type * from './task-tools.js';
export type * from './web-tools.js';

/** What any tool returns. */
export type ToolOutputSchemas =
  | AgentOutput
  | ArtifactOutput
  | AskUserQuestionOutput
  | BashOutput
  | ClaudeDesignOutput
  | CronCreateOutput
  | CronDeleteOutput
  | CronListOutput
  | EnterPlanModeOutput
  | EnterWorktreeOutput
  | ExitPlanModeOutput
  | ExitWorktreeOutput
  | FileEditOutput
  | FileReadOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | ListMcpResourcesOutput
  | McpOutput
  | MonitorOutput
  | NotebookEditOutput
  | OfferChromeSetupOutput
  | ProjectsOutput
  | ProposeGoalOutput
  | ProposeSkillsOutput
  | PushNotificationOutput
  | ReadMcpResourceDirOutput
  | ReadMcpResourceOutput
  | ReadNotificationsOutput
  | RefreshMcpToolsOutput
  | RemoteTriggerOutput
  | ReportFindingsOutput
  | ScheduleWakeupOutput
  | SendFeedbackOutput
  | ShowOnboardingRolePickerOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskStopOutput
  | TaskUpdateOutput
  | TodoWriteOutput
  | WebFetchOutput
  | WebSearchOutput
  | WorkflowOutput;

/** What any tool takes. With the outputs, as in the official type of this name. */
export type ToolInputSchemas =
  | AgentInput
  | ArtifactInput
  | AskUserQuestionInput
  | BashInput
  | ClaudeDesignInput
  | CronCreateInput
  | CronDeleteInput
  | CronListInput
  | EnterPlanModeInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | ExitWorktreeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | OfferChromeSetupInput
  | ProjectsInput
  | ProposeGoalInput
  | ProposeSkillsInput
  | PushNotificationInput
  | ReadMcpResourceDirInput
  | ReadMcpResourceInput
  | ReadNotificationsInput
  | RefreshMcpToolsInput
  | RemoteTriggerInput
  | ReportFindingsInput
  | ScheduleWakeupInput
  | SendFeedbackInput
  | ShowOnboardingRolePickerInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | WebFetchInput
  | WebSearchInput
  | WorkflowInput
  | ToolOutputSchemas;
