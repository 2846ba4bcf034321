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
export const isAssistantMessage = (value: unknown): value is SDKAssistantMessage => isMessage(value, 'assistant');

/** True for tool results, texts the CLI adds, prompts, and replays of prompts. */
export const isUserMessage = (value: unknown): value is SDKUserMessage => isMessage(value, 'user');

/** True for a user message that we sent and the CLI echoed. */
export const isUserMessageReplay = (value: unknown): value is SDKUserMessageReplay =>
  isMessage(value, 'user') && 'isReplay' in value && value.isReplay === true;

/** True for the end of a turn, good or bad. `outcomeOf` says which. */
export const isResultMessage = (value: unknown): value is SDKResultMessage => isMessage(value, 'result');

/** True for a result with a text, which may be the text of an API failure: check `is_error`. */
export const isResultSuccess = (value: unknown): value is SDKResultSuccess =>
  isMessage(value, 'result') && value.subtype === 'success';

/** True for a result with `errors` instead of a text. */
export const isResultError = (value: unknown): value is SDKResultError =>
  isMessage(value, 'result') && value.subtype !== 'success';

/** True for `system/init`, the first message of every turn. */
export const isInitMessage = (value: unknown): value is SDKSystemMessage => isSystemMessage(value, 'init');
export const isStreamEvent = (value: unknown): value is SDKPartialAssistantMessage => isMessage(value, 'stream_event');
export const isStatusMessage = (value: unknown): value is SDKStatusMessage => isSystemMessage(value, 'status');
export const isCompactBoundaryMessage = (value: unknown): value is SDKCompactBoundaryMessage =>
  isSystemMessage(value, 'compact_boundary');
export const isAPIRetryMessage = (value: unknown): value is SDKAPIRetryMessage => isSystemMessage(value, 'api_retry');
export const isPermissionDeniedMessage = (value: unknown): value is SDKPermissionDeniedMessage =>
  isSystemMessage(value, 'permission_denied');
export const isHookStartedMessage = (value: unknown): value is SDKHookStartedMessage =>
  isSystemMessage(value, 'hook_started');
export const isHookResponseMessage = (value: unknown): value is SDKHookResponseMessage =>
  isSystemMessage(value, 'hook_response');
export const isTaskStartedMessage = (value: unknown): value is SDKTaskStartedMessage =>
  isSystemMessage(value, 'task_started');
export const isTaskProgressMessage = (value: unknown): value is SDKTaskProgressMessage =>
  isSystemMessage(value, 'task_progress');
export const isTaskUpdatedMessage = (value: unknown): value is SDKTaskUpdatedMessage =>
  isSystemMessage(value, 'task_updated');
export const isTaskNotificationMessage = (value: unknown): value is SDKTaskNotificationMessage =>
  isSystemMessage(value, 'task_notification');
export const isToolProgressMessage = (value: unknown): value is SDKToolProgressMessage =>
  isMessage(value, 'tool_progress');
export const isRateLimitEvent = (value: unknown): value is SDKRateLimitEvent => isMessage(value, 'rate_limit_event');
