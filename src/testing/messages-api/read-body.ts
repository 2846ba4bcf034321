import type { IncomingMessage } from 'node:http';

/**
 * Reads a request's body to its end.
 *
 * @returns the text, or `undefined` when it is longer than the limit; the rest is then not kept.
 * @throws the stream's error when the client goes away.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
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
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
