import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKCompactBoundaryMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDeniedMessage,
  SDKRateLimitEvent,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKToolProgressMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from './message.js';
import { isMessage, isSystemMessage } from './read-message.js';

/*
 * Guards look at the tags (`type`, `subtype`, `isReplay`) and at nothing else: they narrow what came
 * from a CLI, they do not validate. `parseMessage` validates.
 * Everything here is public. The package's own readers also have `read-message.ts`.
 */

/** True for one content block of the model, or a synthetic error message. */
export function isAssistantMessage(value: unknown): value is SDKAssistantMessage {
  return isMessage(value, 'assistant');
}

/** True for tool results, texts the CLI adds, prompts, and replays of prompts. */
export function isUserMessage(value: unknown): value is SDKUserMessage {
  return isMessage(value, 'user');
}

/** True for a user message of ours that the CLI echoed. */
export function isUserMessageReplay(value: unknown): value is SDKUserMessageReplay {
  return isMessage(value, 'user') && 'isReplay' in value && value.isReplay === true;
}

/** True for the end of a turn, good or bad. `outcomeOf` says which. */
export function isResultMessage(value: unknown): value is SDKResultMessage {
  return isMessage(value, 'result');
}

/** True for a result with a text, which may be the text of an API failure: check `is_error`. */
export function isResultSuccess(value: unknown): value is SDKResultSuccess {
  return isMessage(value, 'result') && value.subtype === 'success';
}

/** True for a result with `errors` instead of a text. */
export function isResultError(value: unknown): value is SDKResultError {
  return isMessage(value, 'result') && value.subtype !== 'success';
}

/** True for `system/init`, the first message of every turn. */
export function isInitMessage(value: unknown): value is SDKSystemMessage {
  return isSystemMessage(value, 'init');
}

export function isStreamEvent(value: unknown): value is SDKPartialAssistantMessage {
  return isMessage(value, 'stream_event');
}

export function isStatusMessage(value: unknown): value is SDKStatusMessage {
  return isSystemMessage(value, 'status');
}

export function isCompactBoundaryMessage(value: unknown): value is SDKCompactBoundaryMessage {
  return isSystemMessage(value, 'compact_boundary');
}

export function isAPIRetryMessage(value: unknown): value is SDKAPIRetryMessage {
  return isSystemMessage(value, 'api_retry');
}

export function isPermissionDeniedMessage(value: unknown): value is SDKPermissionDeniedMessage {
  return isSystemMessage(value, 'permission_denied');
}

export function isHookStartedMessage(value: unknown): value is SDKHookStartedMessage {
  return isSystemMessage(value, 'hook_started');
}

export function isHookResponseMessage(value: unknown): value is SDKHookResponseMessage {
  return isSystemMessage(value, 'hook_response');
}

export function isTaskStartedMessage(value: unknown): value is SDKTaskStartedMessage {
  return isSystemMessage(value, 'task_started');
}

export function isTaskProgressMessage(value: unknown): value is SDKTaskProgressMessage {
  return isSystemMessage(value, 'task_progress');
}

export function isTaskUpdatedMessage(value: unknown): value is SDKTaskUpdatedMessage {
  return isSystemMessage(value, 'task_updated');
}

export function isTaskNotificationMessage(value: unknown): value is SDKTaskNotificationMessage {
  return isSystemMessage(value, 'task_notification');
}

export function isToolProgressMessage(value: unknown): value is SDKToolProgressMessage {
  return isMessage(value, 'tool_progress');
}

export function isRateLimitEvent(value: unknown): value is SDKRateLimitEvent {
  return isMessage(value, 'rate_limit_event');
}
