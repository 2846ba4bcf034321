import type * as Conversation from './wire/conversation.js';
import type * as Event from './wire/event.js';
import type * as Result from './wire/result.js';
import type * as System from './wire/system.js';

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
export type { NonNullableUsage } from './wire/installed-api.js';
export type * from './wire/result.js';
export type * from './wire/system.js';

/**
 * A message as it comes out of `query()`: the CLI's own object, never copied, unknown fields kept. Its members are type
 * aliases rather than interfaces, since only those are a `Record<string, unknown>` to the compiler. Member for member
 * the official union, so that an exhaustive `switch` written for it compiles. It has no catch-all on purpose; at run
 * time a newer CLI may send kinds that are not in it ({@link SDKUnlistedMessage} has those known today), so a `default`
 * branch should ignore, not throw. `parseMessage` types the unknown ones.
 */
export type SDKMessage =
  | Conversation.SDKAssistantMessage
  | Conversation.SDKUserMessage
  | Conversation.SDKUserMessageReplay
  | Result.SDKResultMessage
  | System.SDKSystemMessage
  | Conversation.SDKPartialAssistantMessage
  | System.SDKCompactBoundaryMessage
  | System.SDKStatusMessage
  | System.SDKAPIRetryMessage
  | System.SDKControlRequestProgressMessage
  | System.SDKModelRefusalFallbackMessage
  | System.SDKModelRefusalNoFallbackMessage
  | System.SDKLocalCommandOutputMessage
  | System.SDKHookStartedMessage
  | System.SDKHookProgressMessage
  | System.SDKHookResponseMessage
  | System.SDKPluginInstallMessage
  | Event.SDKToolProgressMessage
  | Event.SDKAuthStatusMessage
  | System.SDKTaskNotificationMessage
  | System.SDKTaskStartedMessage
  | System.SDKTaskUpdatedMessage
  | System.SDKTaskProgressMessage
  | System.SDKBackgroundTasksChangedMessage
  | System.SDKThinkingTokensMessage
  | System.SDKSessionStateChangedMessage
  | System.SDKWorkerShuttingDownMessage
  | System.SDKCommandsChangedMessage
  | System.SDKNotificationMessage
  | System.SDKFilesPersistedEvent
  | Event.SDKToolUseSummaryMessage
  | System.SDKMemoryRecallMessage
  | Event.SDKRateLimitEvent
  | System.SDKElicitationCompleteMessage
  | System.SDKPermissionDeniedMessage
  | Event.SDKPromptSuggestionMessage
  | System.SDKMirrorErrorMessage
  | System.SDKInformationalMessage
  | Event.SDKConversationResetMessage
  | System.SDKSessionWritesLostMessage;

/** Kinds that the CLI sends and the official union does not list. They reach the consumer too. */
export type SDKUnlistedMessage =
  | Event.SDKCommandLifecycleMessage
  | System.SDKModelFallbackMessage
  | System.SDKSessionTitleChangedMessage;
