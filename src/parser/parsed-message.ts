import type { JsonObject } from '../util/json.js';
import type { AssistantMessage, UserMessage } from './parse-conversation.js';
import type { ConversationResetMessage, RateLimitEvent, StreamEvent } from './parse-event.js';
import type { ResultMessage } from './parse-result.js';
import type { SystemMessage } from './parse-system.js';

export type {
  AssistantMessage,
  ContentBlock,
  ServerToolResultBlock,
  ServerToolUseBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserContentBlock,
  UserMessage,
} from './parse-conversation.js';
export type {
  ConversationResetMessage,
  RateLimitEvent,
  RateLimitInfo,
  StreamEvent,
} from './parse-event.js';
export type { DeferredToolUse, MessageOrigin, ResultMessage } from './parse-result.js';
export type {
  GenericSystemMessage,
  HookEventMessage,
  MirrorErrorMessage,
  SystemMessage,
  TaskMessage,
  TaskNotificationMessage,
  TaskProgressMessage,
  TaskStartedMessage,
  TaskUpdatedMessage,
} from './parse-system.js';

/** A frame of a type that this version does not normalise: `tool_progress`, or a newer CLI's own. */
export interface UnknownMessage {
  readonly kind: 'unknown';
  /** The frame's `type`. */
  readonly type: string;
  readonly raw: JsonObject;
}

/**
 * The strict union: checked, camelCase, closed; the same classes as the Python SDK's messages.
 * Discriminate by `kind`. Every member holds its frame, as `data` in the system family and `raw`
 * elsewhere, so nothing the CLI sent is out of reach.
 */
export type Message =
  | UserMessage
  | AssistantMessage
  | SystemMessage
  | ResultMessage
  | StreamEvent
  | RateLimitEvent
  | ConversationResetMessage
  | UnknownMessage;
