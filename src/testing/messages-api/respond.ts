import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiMessage, encodeEvent, messageSteps } from './message.js';
import type { ErrorTurn, MessageShape } from './turn.js';

/** Waits without keeping the process alive; rejects at once when the response is over. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await delay(milliseconds, undefined, { signal, ref: false });
}

/** Sends a whole body. */
export function sendBody(
  { response, requestId }: Reply,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': requestId, ...headers });
  response.end(body);
}

/** Sends an error in the API's shape. The type follows from the status unless given. */
export function sendError(
  reply: Reply,
  { status, type, message }: ErrorTurn['error'],
  headers?: ErrorTurn['headers'],
): void {
  const error = { type: type ?? ERROR_TYPES[status] ?? 'api_error', message: message ?? 'Scripted error' };
  sendBody(reply, status, JSON.stringify({ type: 'error', error, request_id: reply.requestId }), headers);
}

/** Streams a message at the turn's pace, no faster than the client reads. */
export async function streamMessage(reply: Reply, message: ApiMessage, shape: MessageShape): Promise<void> {
  const { response, requestId, signal } = reply;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
    ...shape.headers,
  });
  for (const { type, data, pauseMs } of messageSteps(message, shape)) {
    signal.throwIfAborted();
    if (!response.write(encodeEvent(type, data))) await once(response, 'drain', { signal });
    await pause(pauseMs, signal);
  }
  if (shape.truncate === true) await reply.cut();
  else response.end();
}

/** A response on its way. */
export interface Reply {
  readonly response: ServerResponse;
  /** `request-id`, in headers and error bodies. */
  readonly requestId: string;
  /** Ends every wait when the connection goes, whoever closes it. */
  readonly signal: AbortSignal;
  /** Breaks the connection behind what was written: the client shall see how far the stream came. */
  cut(): Promise<void>;
}

/**
 * Watches one response.
 * @param onClientClosed - The connection went before the whole answer was out, and not by {@link Reply.cut}.
 */
export function createReply(response: ServerResponse, requestId: string, onClientClosed: () => void): Reply {
  const ended = new AbortController();
  let isCut = false;
  response.once('close', () => {
    ended.abort();
    if (!isCut && !response.writableFinished) onClientClosed();
  });
  return {
    response,
    requestId,
    signal: ended.signal,
    async cut() {
      isCut = true;
      // The callback comes when the bytes before it are in the kernel; a comment line is no event.
      await new Promise<void>((resolve) => {
        response.write(':\n', () => resolve());
      });
      response.destroy();
    },
  };
}

/** The API's error type for each status it documents. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  529: 'overloaded_error',
};
