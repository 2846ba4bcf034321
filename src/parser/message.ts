import type {
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from './wire/conversation.js';
import type {
  SDKAuthStatusMessage,
  SDKBackgroundTasksChangedMessage,
  SDKCommandLifecycleMessage,
  SDKConversationResetMessage,
  SDKPromptSuggestionMessage,
  SDKRateLimitEvent,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './wire/event.js';
import type { SDKResultMessage } from './wire/result.js';
import type {
  SDKAPIRetryMessage,
  SDKCommandsChangedMessage,
  SDKCompactBoundaryMessage,
  SDKControlRequestProgressMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKLocalCommandOutputMessage,
  SDKMemoryRecallMessage,
  SDKMirrorErrorMessage,
  SDKModelFallbackMessage,
  SDKModelRefusalFallbackMessage,
  SDKModelRefusalNoFallbackMessage,
  SDKNotificationMessage,
  SDKPermissionDeniedMessage,
  SDKPluginInstallMessage,
  SDKSessionStateChangedMessage,
  SDKSessionTitleChangedMessage,
  SDKSessionWritesLostMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKThinkingTokensMessage,
  SDKWorkerShuttingDownMessage,
} from './wire/system.js';

export type * from './wire/api-message.js';
export type {
  APIServerToolName,
  APIServerToolResultBlock,
  APIServerToolUseBlock,
  APIToolCaller,
} from './wire/api-server-tool.js';
export type * from './wire/api-source.js';
export type * from './wire/api-tool-definition.js';
export type * from './wire/api-user-message.js';
export type * from './wire/common.js';
export type * from './wire/conversation.js';
export type * from './wire/event.js';
export type * from './wire/result.js';
export type * from './wire/system.js';

/**
 * A message as it comes out of `query()`: the CLI's own object, never copied, unknown fields kept. Its members are type
 * aliases rather than interfaces, since only those are a `Record<string, unknown>` to the compiler.
 *
 * Member for member the official union, so that an exhaustive `switch` written for it compiles. It
 * has no catch-all on purpose; at run time a newer CLI may send kinds that are not in it
 * ({@link SDKUnlistedMessage} has those known today), so a `default` branch should ignore, not throw.
 * `parseMessage` types the unknown ones.
 */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKPluginInstallMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskUpdatedMessage
  | SDKTaskProgressMessage
  | SDKBackgroundTasksChangedMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage
  | SDKMemoryRecallMessage
  | SDKRateLimitEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKPromptSuggestionMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKConversationResetMessage
  | SDKSessionWritesLostMessage;

/** Kinds that the CLI sends and the official union does not list. They reach the consumer too. */
export type SDKUnlistedMessage = SDKCommandLifecycleMessage | SDKModelFallbackMessage | SDKSessionTitleChangedMessage;
