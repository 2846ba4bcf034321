import { isJsonObject } from '../util/json.js';
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
import { isMessage } from './read-message.js';

/*
 * Guards look at the tags (`type`, `subtype`, `isReplay`) and at nothing else: they narrow what came
 * from a CLI, they do not validate. `parseMessage` validates.
 * Everything here is public. The package's own readers also have `read-message.ts`.
 */

function withType<T extends { type: string }>(type: T['type']): (value: unknown) => value is T {
  return (value): value is T => isJsonObject(value) && value.type === type;
}

function withSubtype<T extends { type: 'system'; subtype: string }>(
  subtype: T['subtype'],
): (value: unknown) => value is T {
  return (value): value is T => isJsonObject(value) && value.type === 'system' && value.subtype === subtype;
}

/** True for one content block of the model, or a synthetic error message. */
export const isAssistantMessage = withType<SDKAssistantMessage>('assistant');

/** True for tool results, texts the CLI adds, prompts, and replays of prompts. */
export const isUserMessage = withType<SDKUserMessage>('user');

/** True for a user message that we sent and the CLI echoed. */
export const isUserMessageReplay = (value: unknown): value is SDKUserMessageReplay =>
  isMessage(value, 'user') && 'isReplay' in value && value.isReplay === true;

/** True for the end of a turn, good or bad. `outcomeOf` says which. */
export const isResultMessage = withType<SDKResultMessage>('result');

/** True for a result with a text, which may be the text of an API failure: check `is_error`. */
export const isResultSuccess = (value: unknown): value is SDKResultSuccess =>
  isMessage(value, 'result') && value.subtype === 'success';

/** True for a result with `errors` instead of a text. */
export const isResultError = (value: unknown): value is SDKResultError =>
  isMessage(value, 'result') && value.subtype !== 'success';

/** True for `system/init`, the first message of every turn. */
export const isInitMessage = withSubtype<SDKSystemMessage>('init');
export const isStreamEvent = withType<SDKPartialAssistantMessage>('stream_event');
export const isStatusMessage = withSubtype<SDKStatusMessage>('status');
export const isCompactBoundaryMessage = withSubtype<SDKCompactBoundaryMessage>('compact_boundary');
export const isAPIRetryMessage = withSubtype<SDKAPIRetryMessage>('api_retry');
export const isPermissionDeniedMessage = withSubtype<SDKPermissionDeniedMessage>('permission_denied');
export const isHookStartedMessage = withSubtype<SDKHookStartedMessage>('hook_started');
export const isHookResponseMessage = withSubtype<SDKHookResponseMessage>('hook_response');
export const isTaskStartedMessage = withSubtype<SDKTaskStartedMessage>('task_started');
export const isTaskProgressMessage = withSubtype<SDKTaskProgressMessage>('task_progress');
export const isTaskUpdatedMessage = withSubtype<SDKTaskUpdatedMessage>('task_updated');
export const isTaskNotificationMessage = withSubtype<SDKTaskNotificationMessage>('task_notification');
export const isToolProgressMessage = withType<SDKToolProgressMessage>('tool_progress');
export const isRateLimitEvent = withType<SDKRateLimitEvent>('rate_limit_event');
