import { isJsonObject, type JsonObject } from '../util/json.js';
import { FieldReader, type IssueList } from './field-reader.js';

/** A call that a hook deferred. */
export interface DeferredToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The end of a turn. `isError` and `subtype` together say how: see `outcomeOf`. */
export interface ResultMessage {
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

export function parseResultMessage(frame: JsonObject, issues: IssueList): ResultMessage {
  const fields = new FieldReader(frame, 'result message', issues);
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
    deferredToolUse: parseDeferred(frame, fields),
    errors: fields.optionalArray('errors'),
    apiErrorStatus: fields.optionalNumber('api_error_status'),
    terminalReason: fields.optionalString('terminal_reason'),
    uuid: fields.optionalString('uuid'),
    origin: parseOrigin(frame),
    raw: frame,
  };
}

/** An empty object counts as none (PY-249). */
function parseDeferred(frame: JsonObject, fields: FieldReader): DeferredToolUse | undefined {
  const deferred = frame.deferred_tool_use;
  if (!isJsonObject(deferred) || Object.keys(deferred).length === 0) return undefined;
  const inner = fields.inside('deferred_tool_use');
  return { id: inner.string('id'), name: inner.string('name'), input: inner.object('input') };
}

/** Who made a message. As it came: keys beside `kind` are kept and not checked. */
export interface MessageOrigin {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The frame's `origin`, the same object; `undefined` unless it has a string `kind` (PY-235). */
export function parseOrigin(frame: JsonObject): MessageOrigin | undefined {
  const origin = frame.origin;
  return isOrigin(origin) ? origin : undefined;
}

function isOrigin(value: unknown): value is MessageOrigin {
  return isJsonObject(value) && typeof value.kind === 'string';
}
