/**
 * Inputs and outputs of the CLI's built-in tools: what a permission callback or a hook gets as `input`, and the
 * `tool_use_result` of a user message. Types only. A newer CLI may send more than they list.
 */
import type * as agent from './agent-tools.js';
import type * as artifact from './artifact-tools.js';
import type * as file from './file-tools.js';
import type * as service from './service-tools.js';

export type * from './agent-tools.js';
export type * from './artifact-tools.js';
export type * from './file-tools.js';
export type * from './service-tools.js';

/** Input and output of each tool. */
type Tools =
  | [agent.AgentInput, agent.AgentOutput]
  | [artifact.ArtifactInput, artifact.ArtifactOutput]
  | [agent.AskUserQuestionInput, agent.AskUserQuestionOutput]
  | [file.BashInput, file.BashOutput]
  | [service.ClaudeDesignInput, service.ClaudeDesignOutput]
  | [agent.CronCreateInput, agent.CronCreateOutput]
  | [agent.CronDeleteInput, agent.CronDeleteOutput]
  | [agent.CronListInput, agent.CronListOutput]
  | [agent.EnterPlanModeInput, agent.EnterPlanModeOutput]
  | [agent.EnterWorktreeInput, agent.EnterWorktreeOutput]
  | [agent.ExitPlanModeInput, agent.ExitPlanModeOutput]
  | [agent.ExitWorktreeInput, agent.ExitWorktreeOutput]
  | [file.FileEditInput, file.FileEditOutput]
  | [file.FileReadInput, file.FileReadOutput]
  | [file.FileWriteInput, file.FileWriteOutput]
  | [file.GlobInput, file.GlobOutput]
  | [file.GrepInput, file.GrepOutput]
  | [service.ListMcpResourcesInput, service.ListMcpResourcesOutput]
  | [service.McpInput, service.McpOutput]
  | [file.MonitorInput, file.MonitorOutput]
  | [file.NotebookEditInput, file.NotebookEditOutput]
  | [service.OfferChromeSetupInput, service.OfferChromeSetupOutput]
  | [service.ProjectsInput, service.ProjectsOutput]
  | [service.ProposeGoalInput, service.ProposeGoalOutput]
  | [service.ProposeSkillsInput, service.ProposeSkillsOutput]
  | [service.PushNotificationInput, service.PushNotificationOutput]
  | [service.ReadMcpResourceDirInput, service.ReadMcpResourceDirOutput]
  | [service.ReadMcpResourceInput, service.ReadMcpResourceOutput]
  | [service.ReadNotificationsInput, service.ReadNotificationsOutput]
  | [service.RefreshMcpToolsInput, service.RefreshMcpToolsOutput]
  | [agent.RemoteTriggerInput, agent.RemoteTriggerOutput]
  | [service.ReportFindingsInput, service.ReportFindingsOutput]
  | [agent.ScheduleWakeupInput, agent.ScheduleWakeupOutput]
  | [service.SendFeedbackInput, service.SendFeedbackOutput]
  | [service.ShowOnboardingRolePickerInput, service.ShowOnboardingRolePickerOutput]
  | [agent.TaskCreateInput, agent.TaskCreateOutput]
  | [agent.TaskGetInput, agent.TaskGetOutput]
  | [agent.TaskListInput, agent.TaskListOutput]
  | [agent.TaskStopInput, agent.TaskStopOutput]
  | [agent.TaskUpdateInput, agent.TaskUpdateOutput]
  | [agent.TodoWriteInput, agent.TodoWriteOutput]
  | [service.WebFetchInput, service.WebFetchOutput]
  | [service.WebSearchInput, service.WebSearchOutput]
  | [agent.WorkflowInput, agent.WorkflowOutput];

/** What any tool returns. */
export type ToolOutputSchemas = Tools[1];

/** What any tool takes. With the outputs, as in the official type of this name. */
export type ToolInputSchemas = Tools[0] | ToolOutputSchemas;
