import { MessageParseError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { FieldReader, IssueList, type IssuePath, type ParseResult } from './field-reader.js';
import type {
  Answered,
  AssistantMessage,
  ContentBlock,
  DeferredToolUse,
  Message,
  MessageOrigin,
  RateLimitInfo,
  ResultMessage,
  SystemMessage,
  UserContentBlock,
  UserMessage,
} from './parsed-message.js';

/**
 * Checks a frame and turns it into the strict union. Never throws, for any value. A type, a `system` subtype or a field
 * that is not known is not a problem: the first becomes an `unknown` message, the second a `system` message, the third
 * stays in the raw frame. A required field that is missing or of the wrong type is.
 * @returns the message, or every issue found together with the value as it came.
 */
export function parseMessage(value: unknown): ParseResult<Message> {
  const issues = new IssueList();
  return issues.settle(parseChecked(value, issues), value);
}

/**
 * The same for those who prefer an exception.
 * @throws MessageParseError with the first issue's text, all `issues`, and the frame as `data`.
 */
export function parseMessageOrThrow(value: unknown): Message {
  const result = parseMessage(value);
  if (result.ok) return result.message;
  throw new MessageParseError(result.issues[0].message, value, result.issues);
}

function parseChecked(value: unknown, issues: IssueList): Message {
  if (!isJsonObject(value)) {
    issues.add([], `Invalid message data type (expected an object, got ${describeValue(value)})`);
    return { kind: 'unknown', type: '', raw: {} };
  }
  const { type } = value;
  if (typeof type !== 'string' || type === '') {
    issues.add(['type'], "Message missing 'type' field");
    return { kind: 'unknown', type: '', raw: value };
  }
  return parseTyped(type, value, issues);
}

function parseTyped(type: string, frame: JsonObject, issues: IssueList): Message {
  const fields = new FieldReader(frame, type, issues);
  switch (type) {
    case 'user':
      return parseUser(frame, fields, issues);
    case 'assistant':
      return parseAssistant(frame, fields, issues);
    case 'system':
      return parseSystem(frame, fields);
    case 'result':
      return parseResult(frame, fields);
    case 'stream_event':
      return {
        kind: type,
        ...parseIds(fields),
        event: fields.object('event'),
        parentToolUseId: fields.optionalString('parent_tool_use_id'),
        ...parseAnswered(fields),
        raw: frame,
      };
    case 'rate_limit_event':
      return { kind: type, rateLimitInfo: parseRateLimit(fields), ...parseIds(fields), raw: frame };
    case 'conversation_reset':
      return { kind: type, newConversationId: fields.string('new_conversation_id'), ...parseIds(fields), raw: frame };
    default:
      return { kind: 'unknown', type, raw: frame };
  }
}

function parseIds(fields: FieldReader): { uuid: string; sessionId: string } {
  return { uuid: fields.string('uuid'), sessionId: fields.string('session_id') };
}

function parseRateLimit(fields: FieldReader): RateLimitInfo {
  const info = fields.inside('rate_limit_info');
  return {
    status: info.string('status'),
    resetsAt: info.optionalNumber('resetsAt'),
    rateLimitType: info.optionalString('rateLimitType'),
    utilization: info.optionalNumber('utilization'),
    overageStatus: info.optionalString('overageStatus'),
    overageResetsAt: info.optionalNumber('overageResetsAt'),
    overageDisabledReason: info.optionalString('overageDisabledReason'),
    raw: fields.optionalObject('rate_limit_info') ?? {},
  };
}

function parseUser(frame: JsonObject, fields: FieldReader, issues: IssueList): UserMessage {
  const message = fields.inside('message');
  const content = message.value('content');
  let parsed: UserMessage['content'] = '';
  if (typeof content === 'string') parsed = content;
  else if (Array.isArray(content)) parsed = parseBlocks(content, 'user', issues, parseUserBlock);
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

function parseAssistant(frame: JsonObject, fields: FieldReader, issues: IssueList): AssistantMessage {
  const message = fields.inside('message');
  return {
    kind: 'assistant',
    content: parseBlocks(message.array('content'), 'assistant', issues, parseAssistantBlock),
    model: message.string('model'),
    parentToolUseId: fields.optionalString('parent_tool_use_id'),
    error: fields.optionalString('error'),
    usage: message.optionalObject('usage'),
    messageId: message.optionalString('id'),
    stopReason: message.optionalString('stop_reason'),
    sessionId: fields.optionalString('session_id'),
    uuid: fields.optionalString('uuid'),
    ...parseAnswered(fields),
    raw: frame,
  };
}

function parseAnswered(fields: FieldReader): Answered {
  return {
    userMessageUuid: fields.optionalString('user_message_uuid'),
    userMessageUuids: fields.optionalArray('user_message_uuids'),
  };
}

/** The blocks of a message, in order; without those that the strict union does not have. */
function parseBlocks<T>(
  blocks: readonly unknown[],
  type: string,
  issues: IssueList,
  parseBlock: (type: string, fields: FieldReader) => T | undefined,
): T[] {
  const parsed: T[] = [];
  for (const [index, block] of blocks.entries()) {
    const path: IssuePath = ['message', 'content', index];
    if (!isJsonObject(block)) {
      issues.add(path, `Invalid content block in ${type} message: got ${describeValue(block)}`);
      continue;
    }
    const fields = new FieldReader(block, type, issues, path);
    const one = parseBlock(fields.string('type'), fields);
    if (one !== undefined) parsed.push(one);
  }
  return parsed;
}

function parseUserBlock(type: string, fields: FieldReader): UserContentBlock | undefined {
  switch (type) {
    case 'text':
      return { type, text: fields.string('text') };
    case 'tool_use':
      return { type, id: fields.string('id'), name: fields.string('name'), input: fields.object('input') };
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
      return { type, id: fields.string('id'), name: fields.string('name'), input: fields.object('input') };
    case 'advisor_tool_result':
      return { type, toolUseId: fields.string('tool_use_id'), content: fields.value('content') };
    default:
      return parseUserBlock(type, fields);
  }
}

/** The frame's `origin`, the same object; `undefined` unless it has a string `kind`. */
function parseOrigin({ origin }: JsonObject): MessageOrigin | undefined {
  // The condition checks the one field that is required.
  return isJsonObject(origin) && typeof origin.kind === 'string' ? (origin as MessageOrigin) : undefined;
}

function parseResult(frame: JsonObject, fields: FieldReader): ResultMessage {
  return {
    kind: 'result',
    subtype: fields.string('subtype'),
    durationMs: fields.number('duration_ms'),
    durationApiMs: fields.number('duration_api_ms'),
    isError: fields.boolean('is_error'),
    numTurns: fields.number('num_turns'),
    sessionId: fields.string('session_id'),
    stopReason: fields.optionalString('stop_reason'),
    totalCostUsd: fields.optionalNumber('total_cost_usd'),
    usage: fields.optionalObject('usage'),
    result: fields.optionalString('result'),
    structuredOutput: fields.optionalValue('structured_output'),
    modelUsage: fields.optionalObject('modelUsage'),
    permissionDenials: fields.optionalArray('permission_denials'),
    deferredToolUse: parseDeferred(fields),
    errors: fields.optionalArray('errors'),
    apiErrorStatus: fields.optionalNumber('api_error_status'),
    terminalReason: fields.optionalString('terminal_reason'),
    uuid: fields.optionalString('uuid'),
    origin: parseOrigin(frame),
    ...parseAnswered(fields),
    raw: frame,
  };
}

/** An empty object counts as none. */
function parseDeferred(fields: FieldReader): DeferredToolUse | undefined {
  const deferred = fields.optionalObject('deferred_tool_use');
  if (deferred === undefined || Object.keys(deferred).length === 0) return undefined;
  const call = fields.inside('deferred_tool_use');
  return { id: call.string('id'), name: call.string('name'), input: call.object('input') };
}

function parseSystem(data: JsonObject, fields: FieldReader): SystemMessage {
  const subtype = fields.string('subtype');
  switch (subtype) {
    case 'task_started':
      return {
        kind: subtype,
        subtype,
        taskId: fields.string('task_id'),
        description: fields.string('description'),
        ...parseTaskIds(fields),
        taskType: fields.optionalString('task_type'),
        data,
      };
    case 'task_progress':
      return {
        kind: subtype,
        subtype,
        taskId: fields.string('task_id'),
        description: fields.string('description'),
        usage: fields.object('usage'),
        ...parseTaskIds(fields),
        lastToolName: fields.optionalString('last_tool_name'),
        data,
      };
    case 'task_notification':
      return {
        kind: subtype,
        subtype,
        taskId: fields.string('task_id'),
        status: fields.string('status'),
        outputFile: fields.string('output_file'),
        summary: fields.string('summary'),
        ...parseTaskIds(fields),
        usage: fields.optionalObject('usage'),
        data,
      };
    case 'task_updated': {
      const patch = fields.optionalObject('patch') ?? {};
      return {
        kind: subtype,
        subtype,
        taskId: fields.optionalString('task_id') ?? '',
        patch,
        status: typeof patch.status === 'string' ? patch.status : undefined,
        uuid: fields.optionalString('uuid'),
        sessionId: fields.optionalString('session_id'),
        data,
      };
    }
    case 'hook_started':
    case 'hook_response': {
      const name = fields.optionalString('hook_event') || fields.optionalString('hook_name');
      return {
        kind: 'hook_event',
        subtype,
        hookEventName: name || fields.optionalString('hook_event_name') || '',
        sessionId: fields.optionalString('session_id'),
        uuid: fields.optionalString('uuid'),
        data,
      };
    }
    case 'mirror_error': {
      const key = fields.optionalObject('key');
      return { kind: subtype, subtype, key, error: fields.optionalString('error') ?? '', data };
    }
    default:
      return { kind: 'system', subtype, data };
  }
}

function parseTaskIds(fields: FieldReader): { uuid: string; sessionId: string; toolUseId: string | undefined } {
  return { ...parseIds(fields), toolUseId: fields.optionalString('tool_use_id') };
}
