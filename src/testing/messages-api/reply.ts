import type { ServerResponse } from 'node:http';

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
 *
 * @param onClientClosed - The connection went before the whole answer was out, and not by {@link Reply.cut}.
 */
export function createReply(
  response: ServerResponse,
  requestId: string,
  onClientClosed: () => void,
): Reply {
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
