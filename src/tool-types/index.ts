/**
 * Inputs and outputs of the CLI's built-in tools: what a permission callback or a hook gets as `input`, and what `tool_use_result` of a
 * user message holds. Types only. A newer CLI may send more than they list.
 */
import type {
  AgentInput,
  AgentOutput,
  AskUserQuestionInput,
  AskUserQuestionOutput,
  CronCreateInput,
  CronCreateOutput,
  CronDeleteInput,
  CronDeleteOutput,
  CronListInput,
  CronListOutput,
  EnterPlanModeInput,
  EnterPlanModeOutput,
  EnterWorktreeInput,
  EnterWorktreeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
  ExitWorktreeInput,
  ExitWorktreeOutput,
  RemoteTriggerInput,
  RemoteTriggerOutput,
  ScheduleWakeupInput,
  ScheduleWakeupOutput,
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
  WorkflowInput,
  WorkflowOutput,
} from './agent-tools.js';
import type { ArtifactInput, ArtifactOutput } from './artifact-tools.js';
import type {
  BashInput,
  BashOutput,
  FileEditInput,
  FileEditOutput,
  FileReadInput,
  FileReadOutput,
  FileWriteInput,
  FileWriteOutput,
  GlobInput,
  GlobOutput,
  GrepInput,
  GrepOutput,
  MonitorInput,
  MonitorOutput,
  NotebookEditInput,
  NotebookEditOutput,
} from './file-tools.js';
import type {
  ClaudeDesignInput,
  ClaudeDesignOutput,
  ListMcpResourcesInput,
  ListMcpResourcesOutput,
  McpInput,
  McpOutput,
  OfferChromeSetupInput,
  OfferChromeSetupOutput,
  ProjectsInput,
  ProjectsOutput,
  ProposeGoalInput,
  ProposeGoalOutput,
  ProposeSkillsInput,
  ProposeSkillsOutput,
  PushNotificationInput,
  PushNotificationOutput,
  ReadMcpResourceDirInput,
  ReadMcpResourceDirOutput,
  ReadMcpResourceInput,
  ReadMcpResourceOutput,
  ReadNotificationsInput,
  ReadNotificationsOutput,
  RefreshMcpToolsInput,
  RefreshMcpToolsOutput,
  ReportFindingsInput,
  ReportFindingsOutput,
  SendFeedbackInput,
  SendFeedbackOutput,
  ShowOnboardingRolePickerInput,
  ShowOnboardingRolePickerOutput,
  WebFetchInput,
  WebFetchOutput,
  WebSearchInput,
  WebSearchOutput,
} from './service-tools.js';

export type * from './agent-tools.js';
export type * from './agent-tools.js';
export type * from './agent-tools.js';
export type * from './agent-tools.js';
export type * from './agent-tools.js';
export type * from './artifact-tools.js';
export type * from './artifact-tools.js';
export type * from './file-tools.js';
export type * from './file-tools.js';
export type * from './file-tools.js';
export type * from './service-tools.js';
export type * from './service-tools.js';
export type * from './service-tools.js';
export type * from './service-tools.js';

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
