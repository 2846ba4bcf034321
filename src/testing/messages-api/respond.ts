import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { errorBody } from './errors.js';
import { type ApiMessage, toMessageBody } from './message.js';
import type { Reply } from './reply.js';
import { encodeEvent, messageSteps } from './sse.js';
import type { MessageShape } from './turn.js';

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
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': requestId,
    ...headers,
  });
  response.end(body);
}

/** Sends an error in the API's shape. */
export function sendError(
  reply: Reply,
  error: { readonly status: number; readonly type?: string; readonly message?: string },
  headers?: Readonly<Record<string, string>>,
): void {
  sendBody(reply, error.status, errorBody(error, reply.requestId), headers);
}

/** Sends a message in one piece. */
export function sendMessage(reply: Reply, message: ApiMessage, shape: MessageShape): void {
  sendBody(reply, 200, JSON.stringify(toMessageBody(message)), shape.headers);
}

/** Streams a message at the turn's pace, no faster than the client reads. */
export async function streamMessage(
  reply: Reply,
  message: ApiMessage,
  shape: MessageShape,
): Promise<void> {
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
