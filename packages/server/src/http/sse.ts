import type { ConversationEvent, LoggedEvent } from '../events/conversation-event.js';

export interface StreamOptions {
  /** A comment after so much silence, so that proxies keep the connection. */
  readonly heartbeatMs: number;
  /** What a browser waits before it connects again. */
  readonly retryMs: number;
  /** What of an event the reader gets. `undefined`: nothing but its id. */
  readonly show: (event: ConversationEvent) => ConversationEvent | undefined;
  /** The stream ends with this. */
  readonly onFailure: (error: unknown) => void;
}

/** Events that are there at once go out together, up to so many characters. */
const CHUNK = 64 * 1024;

const HEADERS = {
  'content-type': 'text/event-stream',
  // Whatever compresses waits for more before it passes anything on: `no-transform` keeps middleware and proxies from it.
  'cache-control': 'no-store, no-transform',
  // nginx buffers answers, and asks this header whether it may: https://nginx.org/en/docs/http/ngx_http_proxy_module.html
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * Events as `text/event-stream`. Events are taken when the reader wants some, so no more than a chunk is
 * buffered for a slow reader.
 * JSON has no line breaks, so no text of a model can begin a field or an event of the stream.
 */
export async function eventStream(
  open: (signal: AbortSignal) => Promise<AsyncIterator<LoggedEvent, void>>,
  left: AbortSignal,
  { heartbeatMs, retryMs, show, onFailure }: StreamOptions,
): Promise<Response> {
  const abort = new AbortController();
  const leave = (): void => abort.abort();
  left.addEventListener('abort', leave, { once: true });
  if (left.aborted) leave();
  const events = await open(abort.signal);
  let next: Promise<IteratorResult<LoggedEvent, void>> | undefined;
  const encoder = new TextEncoder();
  const end = (): void => {
    left.removeEventListener('abort', leave);
    leave();
  };
  let isCancelled = false;
  const cancel = (): void => {
    isCancelled = true;
    end();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`)),
      pull: async (controller) => {
        next ??= events.next();
        try {
          const result = await orSilence(next, heartbeatMs);
          // The stream is closed already, and whatever ends the events now is a consequence of that.
          if (isCancelled) return;
          if (result === undefined) {
            controller.enqueue(encoder.encode(': still here\n\n'));
            return;
          }
          next = undefined;
          let text = '';
          const soon = macrotask();
          let last: IteratorResult<LoggedEvent, void> | undefined = result;
          while (last !== undefined && last.done !== true) {
            text += textOf(last.value, show);
            next = text.length < CHUNK ? events.next() : undefined;
            last = next && (await ifReady(next, soon));
            if (last !== undefined) next = undefined;
          }
          if (isCancelled) return;
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (last?.done === true) {
            end();
            controller.close();
          }
        } catch (error) {
          if (isCancelled) return;
          end();
          onFailure(error);
          controller.error(error);
        }
      },
      cancel,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: HEADERS });
}

function textOf({ id, at, event }: LoggedEvent, show: StreamOptions['show']): string {
  const shown = show(event);
  // An event without data is dispatched to nobody, and its id counts.
  if (shown === undefined) return `id: ${id}\n\n`;
  return `id: ${id}\nevent: ${shown.type}\ndata: ${JSON.stringify({ at, ...shown })}\n\n`;
}

/** Resolves after everything that is in memory already. */
function macrotask(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}

/** `undefined` when `soon` is first, or when it fails: whoever waits for it next hears why. */
async function ifReady<T>(promise: Promise<T>, soon: Promise<undefined>): Promise<T | undefined> {
  return await Promise.race([promise.catch(() => undefined), soon]);
}

/** `undefined` when nothing came for so long. */
async function orSilence<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
