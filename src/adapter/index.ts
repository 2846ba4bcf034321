/**
 * The entry point `claudewire/adapter`. Importing it starts nothing, reads nothing and does not evaluate the SDK.
 *
 * | class                | gives                                                | for                                          |
 * | -------------------- | ---------------------------------------------------- | -------------------------------------------- |
 * | `ClaudeAgentAdapter` | one answer, with typed output, under limits          | programs that use Claude Code as a function  |
 * | `ClaudeCodeAdapter`  | a stream of events that is the same for every agent  | programs that show or steer what agents do   |
 */

export { type ModelUsage, type OneModelUsage, type TokenUsage, totalTokens } from '../parser/token-usage.js';
// Agents: one interface, unified events.
export * from './agent/agent-event.js';
export type * from './agent/agent-types.js';
export * from './agent/claude-code-adapter.js';
export {
  type Capability,
  type PermissionLevel,
  type PermissionPlan,
  type PermissionPolicy,
  planPermissions,
  type ToolCategories,
} from './agent/permission-plan.js';
export * from './agent/run-agent.js';
// Doctor.
export type { CheckItem, CheckName, CheckReport } from './doctor/check-report.js';
// Errors.
export {
  AdapterConfigError,
  AdapterError,
  type AdapterErrorOptions,
  UnsupportedParameterError,
  WorkspaceBudgetExceededError,
  WorkspaceConflictError,
  WorkspaceSecurityError,
  WorkspaceSourceMissingError,
  type WriteBackConflict,
} from './errors/adapter-error.js';
export * from './errors/evaluation-errors.js';
export * from './errors/prompt-errors.js';
// Evaluating.
export type {
  ClaudeAgentAdapterOptions,
  ClaudeAgentModelConfig,
  ClaudeAgentModelConfig as ClaudeAgentSDKModelConfig,
} from './evaluate/adapter-config.js';
export { ClaudeAgentAdapter, ClaudeAgentAdapter as ClaudeAgentSDKAdapter } from './evaluate/claude-agent-adapter.js';
export type {
  ClaudeAgentClientConfig,
  ClaudeAgentClientConfig as ClaudeAgentSDKClientConfig,
  ClientSandbox,
} from './evaluate/client-config.js';
export type { Conversation } from './evaluate/conversation.js';
export * from './evaluate/evaluate-text.js';
export type { EvaluateOptions } from './evaluate/run-request.js';
// Hooks.
export type { ContextProvider, HookTimeouts } from './hooks/hook-run.js';
// Isolation.
export { EphemeralHome, type EphemeralHomeOptions } from './isolation/ephemeral-home.js';
export type { IsolationConfig, SandboxConfig } from './isolation/isolation-config.js';
export { NetworkPolicy, type NetworkPolicyOptions } from './isolation/network-policy.js';
export type { ProbeResult, SandboxProbe, SandboxProbeInput } from './isolation/sandbox-probe.js';
// Limits.
export { Budget, type BudgetDimension, type BudgetLimits, type TokenDimension } from './limits/budget.js';
export { BudgetTracker, type RemainingTokens } from './limits/budget-tracker.js';
export * from './limits/clock.js';
export * from './limits/deadline.js';
// Logging.
export { type AdapterLogger, type LogRecord, type PinoLike, toAdapterLogger } from './logging/log.js';
// Output.
export type { OutputFormat } from './output/output-format.js';
export type { OutputValidation } from './output/parse-output.js';
// Prompts and tools.
export * from './prompt/index.js';
// Report.
export * from './report/run-report.js';
// The SDK below.
export type * from './runtime/agent-runtime.js';
// Types of values.
export * from './schema/index.js';
// Session, slices and events.
export * from './state/index.js';
// Workspace.
export * from './workspace/index.js';
