import type { JsonObject } from '../util/json.js';

/**
 * The strict union: checked, camelCase, closed; the same classes as the Python SDK's messages. Discriminate by `kind`.
 * Every member has its frame, as `data` in the system family and `raw` elsewhere, so nothing the CLI sent is lost.
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

/** A tool result, a prompt, or a text that the CLI added. */
export interface UserMessage {
  readonly kind: 'user';
  readonly content: string | readonly UserContentBlock[];
  readonly uuid: string | undefined;
  readonly parentToolUseId: string | undefined;
  /** As it came: an object, an array, or a string for a failure. */
  readonly toolUseResult: unknown;
  readonly origin: MessageOrigin | undefined;
  readonly raw: JsonObject;
}

/** Which user messages a turn took in: those that were sent with a `uuid`. CLI 2.1.330 says so once a turn. */
export interface Answered {
  /** The message that started the turn. */
  readonly userMessageUuid: string | undefined;
  /** All of them, in order. Unchanged. */
  readonly userMessageUuids: readonly unknown[] | undefined;
}

/** A piece of the model's answer, or a synthetic message about a failure. */
export interface AssistantMessage extends Answered {
  readonly kind: 'assistant';
  readonly content: readonly ContentBlock[];
  readonly model: string;
  readonly parentToolUseId: string | undefined;
  /** Set when the message reports a failure, such as `rate_limit`. */
  readonly error: string | undefined;
  readonly usage: JsonObject | undefined;
  /** `message.id`: the same for all frames of one API message. */
  readonly messageId: string | undefined;
  readonly stopReason: string | undefined;
  readonly sessionId: string | undefined;
  readonly uuid: string | undefined;
  readonly raw: JsonObject;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  /** Text, or blocks as they came. */
  readonly content: string | readonly unknown[] | undefined;
  /** `undefined` when the frame did not say. */
  readonly isError: boolean | undefined;
}

/** A tool that ran on the API's side. */
export interface ServerToolUseBlock extends Omit<ToolUseBlock, 'type'> {
  readonly type: 'server_tool_use';
}

/** What a tool on the API's side returned. */
export interface ServerToolResultBlock {
  readonly type: 'advisor_tool_result';
  readonly toolUseId: string;
  readonly content: unknown;
}

/** A block of a user message. Blocks of other types are left out. */
export type UserContentBlock = TextBlock | ToolUseBlock | ToolResultBlock;

/** A block of an assistant message. Blocks of other types are left out. */
export type ContentBlock = UserContentBlock | ThinkingBlock | ServerToolUseBlock | ServerToolResultBlock;

/** Who made a message. As it came: keys beside `kind` are kept and not checked. */
export interface MessageOrigin {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The end of a turn. `isError` and `subtype` together say how: see `outcomeOf`. */
export interface ResultMessage extends Answered {
  readonly kind: 'result';
  readonly subtype: string;
  readonly durationMs: number;
  readonly durationApiMs: number;
  readonly isError: boolean;
  readonly numTurns: number;
  readonly sessionId: string;
  readonly stopReason: string | undefined;
  readonly totalCostUsd: number | undefined;
  readonly usage: JsonObject | undefined;
  readonly result: string | undefined;
  /** Unchanged; `undefined` when there is none. */
  readonly structuredOutput: unknown;
  /** By model. */
  readonly modelUsage: JsonObject | undefined;
  /** Unchanged. */
  readonly permissionDenials: readonly unknown[] | undefined;
  readonly deferredToolUse: DeferredToolUse | undefined;
  /** Unchanged. */
  readonly errors: readonly unknown[] | undefined;
  readonly apiErrorStatus: number | undefined;
  readonly terminalReason: string | undefined;
  readonly uuid: string | undefined;
  readonly origin: MessageOrigin | undefined;
  readonly raw: JsonObject;
}

/** A call that a hook deferred. */
export type DeferredToolUse = Pick<ToolUseBlock, 'id' | 'name' | 'input'>;

/** What every frame of these kinds has. */
interface Identified {
  readonly uuid: string;
  readonly sessionId: string;
}

/** A raw event of the Messages API. */
export interface StreamEvent extends Identified, Answered {
  readonly kind: 'stream_event';
  /** As it came. */
  readonly event: JsonObject;
  readonly parentToolUseId: string | undefined;
  readonly raw: JsonObject;
}

/** The plan's limit changed state. */
export interface RateLimitEvent extends Identified {
  readonly kind: 'rate_limit_event';
  readonly rateLimitInfo: RateLimitInfo;
  readonly raw: JsonObject;
}

export interface RateLimitInfo {
  /** `allowed`, `allowed_warning` or `rejected`, as far as is known. */
  readonly status: string;
  /** Seconds since the epoch. */
  readonly resetsAt: number | undefined;
  readonly rateLimitType: string | undefined;
  readonly utilization: number | undefined;
  readonly overageStatus: string | undefined;
  readonly overageResetsAt: number | undefined;
  readonly overageDisabledReason: string | undefined;
  /** The whole info object, with the fields that have no name here. */
  readonly raw: JsonObject;
}

/** The conversation was cleared. */
export interface ConversationResetMessage extends Identified {
  readonly kind: 'conversation_reset';
  readonly newConversationId: string;
  readonly raw: JsonObject;
}

/** A frame of a type that this version does not normalise: `tool_progress`, or a newer CLI's own. */
export interface UnknownMessage {
  readonly kind: 'unknown';
  /** The frame's `type`. */
  readonly type: string;
  readonly raw: JsonObject;
}

/** Every `system` frame: each has its `subtype`, and the frame itself in `data`. */
export type SystemMessage = GenericSystemMessage | HookEventMessage | MirrorErrorMessage | TaskMessage;

/** A `system` frame without a type of its own here, `init` among them. */
export interface GenericSystemMessage {
  readonly kind: 'system';
  readonly subtype: string;
  readonly data: JsonObject;
}

/** A command hook from the settings started or ended. */
export interface HookEventMessage {
  readonly kind: 'hook_event';
  readonly subtype: 'hook_started' | 'hook_response';
  /** The event, such as `PreToolUse`; empty when the frame names none. */
  readonly hookEventName: string;
  readonly sessionId: string | undefined;
  readonly uuid: string | undefined;
  readonly data: JsonObject;
}

/** A session store did not take a batch of the transcript. */
export interface MirrorErrorMessage {
  readonly kind: 'mirror_error';
  readonly subtype: 'mirror_error';
  readonly key: JsonObject | undefined;
  readonly error: string;
  readonly data: JsonObject;
}

export type TaskMessage = TaskStartedMessage | TaskProgressMessage | TaskNotificationMessage | TaskUpdatedMessage;

interface TaskFields<Kind extends string> extends Identified {
  readonly kind: Kind;
  readonly subtype: Kind;
  readonly taskId: string;
  readonly toolUseId: string | undefined;
  readonly data: JsonObject;
}

export interface TaskStartedMessage extends TaskFields<'task_started'> {
  readonly description: string;
  readonly taskType: string | undefined;
}

export interface TaskProgressMessage extends TaskFields<'task_progress'> {
  readonly description: string;
  readonly usage: JsonObject;
  readonly lastToolName: string | undefined;
}

export interface TaskNotificationMessage extends TaskFields<'task_notification'> {
  /** `completed`, `failed` or `stopped`, as far as is known. */
  readonly status: string;
  readonly outputFile: string;
  readonly summary: string;
  readonly usage: JsonObject | undefined;
}

/** Parses whatever its fields are: a change without an id or a patch is still a change. */
export interface TaskUpdatedMessage {
  readonly kind: 'task_updated';
  readonly subtype: 'task_updated';
  /** Empty when the frame names none. */
  readonly taskId: string;
  /** Empty when the frame has none that is an object. */
  readonly patch: JsonObject;
  /** `patch.status`. */
  readonly status: string | undefined;
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  readonly data: JsonObject;
}
