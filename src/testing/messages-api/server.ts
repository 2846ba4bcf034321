import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../util/json.js';
import { countedId } from './message.js';
import { type LoggedRequest, type MessagesApiEvent, redactHeaders } from './request-log.js';
import { createReply, sendError } from './respond.js';
import { createRouter } from './router.js';
import { TurnQueue, type TurnScript } from './turn-queue.js';

/** What the API answers, and its limits. */
export interface MessagesApiOptions extends TurnScript {
  /** Called synchronously as things happen. A throw is contained. */
  readonly onEvent?: (event: MessagesApiEvent) => void;
  /** @defaultValue four characters to a token */
  readonly countTokens?: (body: JsonObject) => number;
  /** 0 takes a free one. @defaultValue 0 */
  readonly port?: number;
  /** Longer request bodies are answered 413. @defaultValue 64 MiB */
  readonly maxBodyBytes?: number;
  /**
   * Requests past this many are answered 503 and not logged: a runaway
   * client stops being a leak. @defaultValue 10_000
   */
  readonly maxRequests?: number;
}

/** A running API. */
export interface MessagesApi extends AsyncDisposable {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order in which their bodies were complete. Live: it grows. */
  readonly requests: readonly LoggedRequest[];
  /** Scripted turns that nobody has asked for yet. */
  readonly remainingTurns: number;
  /** Breaks every connection, hanging ones too, and frees the port. Safe to call twice. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_REQUESTS = 10_000;

/**
 * Starts an Anthropic Messages API that plays a script, on the loopback interface only: the real CLI
 * (or any client) runs against it with no key and no network.
 *
 * Routes: `POST /v1/messages` (streamed or not), `POST /v1/messages/count_tokens`, `HEAD` of anything;
 * the rest is 404 with the API's own error body.
 *
 * @throws the listen error, such as `EADDRINUSE`.
 * @example
 * await using api = await startMessagesApi({ turns: ['Hello.'] });
 * const env = { ...process.env, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'any' };
 * for await (const message of query({ prompt: 'Hi', options: { env } })) console.log(message);
 */
export async function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi> {
  const queue = new TurnQueue(options);
  const requests: LoggedRequest[] = [];
  const emit = contained(options.onEvent);
  const route = createRouter({ queue, emit, countTokens: options.countTokens });
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
  const maxRequests = options.maxRequests ?? DEFAULT_MAX_REQUESTS;
  let count = 0;
  let closing: Promise<void> | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    count += 1;
    const number = count;
    const reply = createReply(response, countedId('req', number), () => {
      if (closing === undefined) emit({ event: 'api_client_closed', number });
    });
    const text = await readBody(request, maxBodyBytes);
    if (count > maxRequests || text === undefined) {
      const status = text === undefined ? 413 : 503;
      emit({ event: 'api_script_error', number, message: `A limit was passed: ${status}` });
      sendError(reply, { status, message: 'A limit of the scripted API was passed' });
      return;
    }
    const entry = logEntry(number, request, text);
    requests.push(entry);
    await route(entry, reply);
  }

  const server = createServer((request, response) => {
    // Only a connection that is gone rejects here; `api_client_closed` has told it.
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A TCP server's address is an object; only a pipe's is a string.
  const { port } = server.address() as AddressInfo;

  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return {
    url: `http://${HOST}:${port}`,
    port,
    requests,
    get remainingTurns() {
      return queue.remaining;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function logEntry(number: number, request: IncomingMessage, text: string): LoggedRequest {
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  return {
    number,
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.search,
    headers: redactHeaders(request.headers),
    body: parseJson(text),
  };
}

function contained(listener: ((event: MessagesApiEvent) => void) | undefined): (event: MessagesApiEvent) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // Watching must not change what is watched.
    }
  };
}

/**
 * Reads a request's body to its end.
 *
 * @returns the text, or `undefined` when it is longer than the limit; the rest is then not kept.
 * @throws the stream's error when the client goes away.
 */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= maxBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** `undefined` for an empty text and for one that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
