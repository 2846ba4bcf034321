import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** Newest first. `initialize` echoes a version of this list; any other is answered with the newest (TS-141). */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export const RpcCode = {
  connectionClosed: -32000,
  requestTimeout: -32001,
  urlElicitationRequired: -32042,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/**
 * A JSON-RPC error as a tool's handler sees it: the CLI refused, timed out or went away. Not one of the package's own
 * errors on purpose: handlers written for the MCP SDK look at its `McpError`, and this has the same name, numeric
 * `code`, `data` and message.
 */
export class McpError extends Error {
  override name = 'McpError';
  /** JSON-RPC error code. */
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(`MCP error ${code}: ${message}`);
    this.code = code;
    this.data = data;
  }
}

/** Keys in the order the official SDK writes them. */
export function resultResponse(id: unknown, result: JsonObject): JsonObject {
  return { result, jsonrpc: '2.0', id };
}

export function errorResponse(id: unknown, code: number, message: string, data?: unknown): JsonObject {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: '2.0', id, error };
}

/** What the handler of a request threw, as its JSON-RPC error answer. */
export function errorResponseFrom(id: unknown, error: unknown): JsonObject {
  const code = codeOf(error);
  const known = Number.isSafeInteger(code) ? Number(code) : RpcCode.internalError;
  return errorResponse(id, known, errorText(error), fieldOf(error, 'data'));
}

/** The answer to a request whose id is still unanswered; the first one goes on undisturbed (PY-191). */
export function duplicateResponse(id: unknown): JsonObject {
  const shown = typeof id === 'string' || typeof id === 'number' ? id : JSON.stringify(id);
  return errorResponse(id, RpcCode.internalError, `Request id ${shown} is already in flight`);
}

/** The answer to `params` that are not an object: the MCP SDK would leave such a request unanswered. */
export function badParamsResponse(id: unknown, method: string): JsonObject {
  return errorResponse(id, RpcCode.internalError, `Invalid ${method} request: params must be an object`);
}

export type RpcKind = 'request' | 'notification' | 'response';

/** By what is there, not by `jsonrpc`: a missing version field is no reason to leave a request unanswered. An `id` of `null` makes a notification (TS-140). */
export function rpcKind(message: JsonObject): RpcKind {
  if (typeof message.method !== 'string') return 'response';
  const id = message.id;
  return id === undefined || id === null ? 'notification' : 'request';
}

/** The id that `notifications/cancelled` names, `undefined` for any other message. */
export function cancelledId(message: JsonObject): unknown {
  if (message.method !== 'notifications/cancelled') return undefined;
  const params = message.params;
  return isJsonObject(params) ? params.requestId : undefined;
}

/** `error.code`, whatever was thrown: `undefined` also when reading it throws. */
export function codeOf(error: unknown): unknown {
  return fieldOf(error, 'code');
}

/** Why something was withdrawn, as the MCP SDK writes it: with the name of an error. Never throws. */
export function reasonText(reason: unknown): string {
  try {
    return String(reason);
  } catch {
    return errorText(reason);
  }
}

function fieldOf(error: unknown, key: 'code' | 'data'): unknown {
  try {
    return Reflect.get(Object(error), key);
  } catch {
    return undefined;
  }
}
