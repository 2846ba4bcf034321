import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { FieldReader, type IssueList, type IssuePath } from './field-reader.js';
import { type MessageOrigin, parseOrigin } from './parse-result.js';

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
  /** `undefined` when the frame did not say (PY-242). */
  readonly isError: boolean | undefined;
}

/** A tool that ran on the API's side. */
export interface ServerToolUseBlock {
  readonly type: 'server_tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** What a tool on the API's side returned. */
export interface ServerToolResultBlock {
  readonly type: 'advisor_tool_result';
  readonly toolUseId: string;
  readonly content: unknown;
}

/** What a user message may hold here. Blocks of other types are left out (PY-233). */
export type UserContentBlock = TextBlock | ToolUseBlock | ToolResultBlock;

/** What an assistant message may hold here. Blocks of other types are left out (PY-239). */
export type ContentBlock = UserContentBlock | ThinkingBlock | ServerToolUseBlock | ServerToolResultBlock;

/** The blocks of a user message, in order; without those that the strict union does not have. */
function parseUserBlocks(blocks: readonly unknown[], issues: IssueList): UserContentBlock[] {
  return parseEach(blocks, 'user message', issues, parseSharedBlock);
}

/** The blocks of an assistant message; the list may come out empty. */
function parseAssistantBlocks(blocks: readonly unknown[], issues: IssueList): ContentBlock[] {
  return parseEach(blocks, 'assistant message', issues, parseAssistantBlock);
}

function parseEach<T>(
  blocks: readonly unknown[],
  what: string,
  issues: IssueList,
  parseBlock: (type: string, fields: FieldReader) => T | undefined,
): T[] {
  const parsed: T[] = [];
  for (const [index, block] of blocks.entries()) {
    const path: IssuePath = ['message', 'content', index];
    if (!isJsonObject(block)) {
      issues.add(path, `Invalid content block in ${what}: got ${describeValue(block)}`);
      continue;
    }
    const fields = new FieldReader(block, what, issues, path);
    const one = parseBlock(fields.string('type'), fields);
    if (one !== undefined) parsed.push(one);
  }
  return parsed;
}

function parseSharedBlock(type: string, fields: FieldReader): UserContentBlock | undefined {
  switch (type) {
    case 'text':
      return { type, text: fields.string('text') };
    case 'tool_use':
      return {
        type,
        id: fields.string('id'),
        name: fields.string('name'),
        input: fields.object('input'),
      };
    case 'tool_result': {
      const content = fields.optionalValue('content');
      return {
        type,
        toolUseId: fields.string('tool_use_id'),
        content: typeof content === 'string' || Array.isArray(content) ? content : undefined,
        isError: fields.optionalBoolean('is_error'),
      };
    }
    default:
      return undefined;
  }
}

function parseAssistantBlock(type: string, fields: FieldReader): ContentBlock | undefined {
  switch (type) {
    case 'thinking':
      return { type, thinking: fields.string('thinking'), signature: fields.string('signature') };
    case 'server_tool_use':
      return {
        type,
        id: fields.string('id'),
        name: fields.string('name'),
        input: fields.object('input'),
      };
    case 'advisor_tool_result':
      return { type, toolUseId: fields.string('tool_use_id'), content: fields.value('content') };
    default:
      return parseSharedBlock(type, fields);
  }
}
