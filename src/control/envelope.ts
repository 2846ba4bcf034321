import { isJsonObject, type JsonObject, omitUndefined, stringField } from '../util/json.js';

/**
 * The wire shapes of control frames: constructors for what is written, guards for what is read. Wire names stay inside
 * this file. Shapes as in the recordings `info-requests`, `can-use-tool-allow`, `mcp-sdk`.
 */
interface OutboundRequestFrame {
  readonly request_id: string;
  readonly type: 'control_request';
  readonly request: JsonObject;
}

/** An answer to one of our requests, taken apart. */
export interface ParsedAnswer {
  readonly requestId: string;
  /** The whole inner object: `response`, `error` and their neighbours. */
  readonly body: JsonObject;
}

export function requestFrame(
  requestId: string,
  subtype: string,
  payload: JsonObject | undefined,
): OutboundRequestFrame {
  return { request_id: requestId, type: 'control_request', request: { subtype, ...payload } };
}

/** A message of an in-process server to the CLI. Here the official SDK writes `type` first. */
export function serverMessageFrame(requestId: string, serverName: string, message: JsonObject): OutboundRequestFrame {
  return {
    type: 'control_request',
    request_id: requestId,
    request: { subtype: 'mcp_message', server_name: serverName, message },
  };
}

export function cancelFrame(requestId: string): object {
  return { type: 'control_cancel_request', request_id: requestId };
}

/** `undefined` leaves the `response` key out: a success without a body. */
export function successFrame(requestId: string | number, response: unknown): object {
  return { type: 'control_response', response: omitUndefined({ subtype: 'success', request_id: requestId, response }) };
}

export function errorFrame(requestId: string | number, error: string, errorCode: string | undefined): object {
  return {
    type: 'control_response',
    response: omitUndefined({ subtype: 'error', request_id: requestId, error, error_code: errorCode }),
  };
}

/** `undefined` when the frame has no `response` object or no `request_id` in it. */
export function parseAnswer(frame: JsonObject): ParsedAnswer | undefined {
  const body = frame.response;
  if (!isJsonObject(body)) return undefined;
  const requestId = stringField(body, 'request_id');
  return requestId === undefined ? undefined : { requestId, body };
}

/**
 * The questions that were open before this host connected, as whole `control_request` frames. In the answer to
 * `initialize` they are beside `response`.
 */
export function openQuestionsOf(body: JsonObject): readonly JsonObject[] {
  return ['pending_permission_requests', 'pending_user_dialog_requests'].flatMap((key) => {
    const list = body[key];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  });
}

const MAX_CHARACTERS = 100;

/**
 * An id, a name or a subtype of the peer's for a diagnostic: a number, or the start of a string. Anything else may be
 * of any size, and is left out.
 */
export function excerpt(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? value.slice(0, MAX_CHARACTERS) : undefined;
}
