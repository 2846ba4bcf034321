import type { JsonObject } from '../util/json.js';
import { FieldReader, type IssueList } from './field-reader.js';

/** A raw event of the Messages API. */
export interface StreamEvent {
  readonly kind: 'stream_event';
  readonly uuid: string;
  readonly sessionId: string;
  /** As it came (PY-251). */
  readonly event: JsonObject;
  readonly parentToolUseId: string | undefined;
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

/** The plan's limit changed state. */
export interface RateLimitEvent {
  readonly kind: 'rate_limit_event';
  readonly rateLimitInfo: RateLimitInfo;
  readonly uuid: string;
  readonly sessionId: string;
  readonly raw: JsonObject;
}

/** The conversation was cleared. */
export interface ConversationResetMessage {
  readonly kind: 'conversation_reset';
  readonly newConversationId: string;
  readonly uuid: string;
  readonly sessionId: string;
  readonly raw: JsonObject;
}

export function parseStreamEvent(frame: JsonObject, issues: IssueList): StreamEvent {
  const fields = new FieldReader(frame, 'stream_event message', issues);
  return {
    kind: 'stream_event',
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    event: fields.object('event'),
    parentToolUseId: fields.optionalString('parent_tool_use_id'),
    raw: frame,
  };
}

export function parseRateLimitEvent(frame: JsonObject, issues: IssueList): RateLimitEvent {
  const fields = new FieldReader(frame, 'rate_limit_event message', issues);
  const info = fields.inside('rate_limit_info');
  return {
    kind: 'rate_limit_event',
    rateLimitInfo: {
      status: info.string('status'),
      resetsAt: info.optionalNumber('resetsAt'),
      rateLimitType: info.optionalString('rateLimitType'),
      utilization: info.optionalNumber('utilization'),
      overageStatus: info.optionalString('overageStatus'),
      overageResetsAt: info.optionalNumber('overageResetsAt'),
      overageDisabledReason: info.optionalString('overageDisabledReason'),
      raw: fields.optionalObject('rate_limit_info') ?? {},
    },
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    raw: frame,
  };
}

export function parseConversationReset(frame: JsonObject, issues: IssueList): ConversationResetMessage {
  const fields = new FieldReader(frame, 'conversation_reset message', issues);
  return {
    kind: 'conversation_reset',
    newConversationId: fields.string('new_conversation_id'),
    uuid: fields.string('uuid'),
    sessionId: fields.string('session_id'),
    raw: frame,
  };
}
