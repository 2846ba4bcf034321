/** The entry point `claudewire-server`. */

export { type Approval, type ApprovalChanges, canChangeApproval, type Decision } from './approvals/approval.js';
export type { ApprovalStore } from './approvals/approval-store.js';
export type { ApprovalKey } from './approvals/approval-token.js';
export type { ToolCall } from './approvals/conversation-approvals.js';
export { FileApprovalStore } from './approvals/file-approval-store.js';
export { InMemoryApprovalStore } from './approvals/memory-approval-store.js';
export type { ApprovalInfo } from './approvals/tenant-approvals.js';
export { FileWakeUpStore } from './background/file-wake-up-store.js';
export { InMemoryWakeUpStore } from './background/memory-wake-up-store.js';
export { assertWakeUps, type WakeUp } from './background/wake-up.js';
export type { WakeUpStore } from './background/wake-up-store.js';
export { HostError, type HostErrorCode, type HostErrorOptions } from './errors.js';
export type {
  ApprovalEvent,
  ApprovalState,
  BackgroundEnd,
  BackgroundTask,
  ConversationEvent,
  LoggedEvent,
  QuestionEvent,
  ScheduledPrompt,
  TurnOutcome,
} from './events/conversation-event.js';
export type { EventLog, EventPage } from './events/event-log.js';
export { FileEventLog, type FileEventLogOptions } from './events/file-event-log.js';
export { InMemoryEventLog, type InMemoryEventLogOptions } from './events/memory-event-log.js';
export { currentTenant } from './host/current-tenant.js';
export type { ApprovalOptions, SessionHostOptions } from './host/host-options.js';
export type { HostCounters } from './host/host-parts.js';
export type { HostLimits } from './host/limits.js';
export type { Answer } from './host/questions.js';
export {
  type ConversationInfo,
  type ConversationList,
  type ConversationListOptions,
  createSessionHost,
  type HostMetrics,
  type SessionHost,
} from './host/session-host.js';
export type { OptionsFor, TenantOptions } from './host/tenant-options.js';
export type { ConversationState } from './host/turns.js';
export { type ConnectionInfo, createHandler, type Handler, type HandlerOptions } from './http/handler.js';
export { type OpenApiOptions, openApi } from './http/openapi.js';
export type { ProblemCode } from './http/problem.js';
export { type RunningServer, type ServeOptions, serve } from './http/serve.js';
export { withoutInternals } from './http/without-internals.js';
export {
  assertKey as assertConversationKey,
  assertTenant,
  assertUuid,
  type ConversationKey,
} from './stores/conversation-key.js';
export type {
  ConversationChanges,
  ConversationRecord,
  ConversationStore,
  TenantUsage,
} from './stores/conversation-store.js';
export { FileConversationStore } from './stores/file-conversation-store.js';
export { assertLeaseToken } from './stores/lease-token.js';
export { assertListOptions, type ListOptions, type ListPlace } from './stores/list-options.js';
export { InMemoryConversationStore } from './stores/memory-conversation-store.js';
