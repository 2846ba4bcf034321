import type { JsonObject } from '../util/json.js';
import type { AssistantMessage, UserMessage } from './normalize/conversation.js';
import type { ConversationResetMessage, RateLimitEvent, StreamEvent } from './normalize/event.js';
import type { ResultMessage } from './normalize/result.js';
import type { SystemMessage } from './normalize/system.js';

export type {
  ContentBlock,
  ServerToolResultBlock,
  ServerToolUseBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserContentBlock,
} from './normalize/content-block.js';
export type { AssistantMessage, UserMessage } from './normalize/conversation.js';
export type {
  ConversationResetMessage,
  RateLimitEvent,
  RateLimitInfo,
  StreamEvent,
} from './normalize/event.js';
export type { MessageOrigin } from './normalize/origin.js';
export type { DeferredToolUse, ResultMessage } from './normalize/result.js';
export type {
  GenericSystemMessage,
  HookEventMessage,
  MirrorErrorMessage,
  SystemMessage,
} from './normalize/system.js';
export type {
  TaskMessage,
  TaskNotificationMessage,
  TaskProgressMessage,
  TaskStartedMessage,
  TaskUpdatedMessage,
} from './normalize/task.js';

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
