import { MessageParseError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { IssueList, type ParseResult } from './field-reader.js';
import { parseAssistant, parseUser } from './parse-conversation.js';
import { parseConversationReset, parseRateLimitEvent, parseStreamEvent } from './parse-event.js';
import { parseResultMessage } from './parse-result.js';
import { parseSystem } from './parse-system.js';
import type { Message } from './parsed-message.js';

/**
 * Checks a frame and turns it into the strict union. Never throws, for any value.
 *
 * A type, a `system` subtype or a field that is not known is not a problem: the first becomes an
 * `unknown` message, the second a `system` message, the third stays in the raw frame. A required
 * field that is missing or of the wrong type is.
 *
 * @returns the message, or every issue found together with the value as it came.
 */
export function parseMessage(value: unknown): ParseResult<Message> {
  const issues = new IssueList();
  return issues.settle(parse(value, issues), value);
}

/**
 * The same for those who prefer an exception.
 *
 * @throws MessageParseError with the first issue's text, all `issues`, and the frame as `data`.
 */
export function parseMessageOrThrow(value: unknown): Message {
  const result = parseMessage(value);
  if (result.ok) return result.message;
  throw new MessageParseError(result.issues[0].message, value, result.issues);
}

function parse(value: unknown, issues: IssueList): Message {
  if (!isJsonObject(value)) {
    issues.add([], `Invalid message data type (expected an object, got ${describeValue(value)})`);
    return { kind: 'unknown', type: '', raw: {} };
  }
  const type = value.type;
  if (typeof type !== 'string' || type === '') {
    issues.add(['type'], "Message missing 'type' field");
    return { kind: 'unknown', type: '', raw: value };
  }
  return parseTyped(type, value, issues);
}

function parseTyped(type: string, frame: JsonObject, issues: IssueList): Message {
  switch (type) {
    case 'user':
      return parseUser(frame, issues);
    case 'assistant':
      return parseAssistant(frame, issues);
    case 'system':
      return parseSystem(frame, issues);
    case 'result':
      return parseResultMessage(frame, issues);
    case 'stream_event':
      return parseStreamEvent(frame, issues);
    case 'rate_limit_event':
      return parseRateLimitEvent(frame, issues);
    case 'conversation_reset':
      return parseConversationReset(frame, issues);
    default:
      return { kind: 'unknown', type, raw: frame };
  }
}
