import type { JsonObject } from '../../util/json.js';
import type { IssueList } from '../issue.js';
import {
  type ContentBlock,
  parseAssistantBlocks,
  parseUserBlocks,
  type UserContentBlock,
} from './content-block.js';
import { FieldReader } from './field-reader.js';
import { type MessageOrigin, parseOrigin } from './origin.js';

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

/** A piece of the model's answer, or a synthetic message about a failure. */
export interface AssistantMessage {
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

export function parseUser(frame: JsonObject, issues: IssueList): UserMessage {
  const fields = new FieldReader(frame, 'user message', issues);
  const message = fields.inside('message');
  const content = message.value('content');
  let parsed: UserMessage['content'] = '';
  if (typeof content === 'string') parsed = content;
  else if (Array.isArray(content)) parsed = parseUserBlocks(content, issues);
  else if (content !== undefined) message.wrong('content', 'a string or an array');
  return {
    kind: 'user',
    content: parsed,
    uuid: fields.optionalString('uuid'),
    parentToolUseId: fields.optionalString('parent_tool_use_id'),
    toolUseResult: fields.optionalValue('tool_use_result'),
    origin: parseOrigin(frame),
    raw: frame,
  };
}

export function parseAssistant(frame: JsonObject, issues: IssueList): AssistantMessage {
  const fields = new FieldReader(frame, 'assistant message', issues);
  const message = fields.inside('message');
  return {
    kind: 'assistant',
    content: parseAssistantBlocks(message.array('content'), issues),
    model: message.string('model'),
    parentToolUseId: fields.optionalString('parent_tool_use_id'),
    error: fields.optionalString('error'),
    usage: message.optionalObject('usage'),
    messageId: message.optionalString('id'),
    stopReason: message.optionalString('stop_reason'),
    sessionId: fields.optionalString('session_id'),
    uuid: fields.optionalString('uuid'),
    raw: frame,
  };
}
