import type { OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { createGzip, type Gzip } from 'node:zlib';

/**
 * A middleware that compresses as `compression()` of Express does: it takes whatever the client can read and
 * `Cache-Control` does not forbid, and passes nothing on before it has enough.
 */
export function compressing(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (/\bgzip\b/.test(String(request.headers['accept-encoding']))) compress(response);
    listener(request, response);
  };
}

function compress(response: ServerResponse): void {
  const original = { write: response.write.bind(response), end: response.end.bind(response) };
  const writeHead = response.writeHead.bind(response);
  let gzip: Gzip | undefined;
  const changed = {
    writeHead: (status: number, headers: OutgoingHttpHeaders = {}) => {
      if (/\bno-transform\b/.test(String(headers['cache-control']))) return writeHead(status, headers);
      gzip = createGzip();
      gzip.on('data', (chunk) => original.write(chunk)).on('end', () => original.end());
      const { 'content-length': _, ...others } = headers;
      return writeHead(status, { ...others, 'content-encoding': 'gzip' });
    },
    write: (chunk: Uint8Array) => (gzip ?? { write: original.write }).write(chunk),
    end: (chunk?: Uint8Array) => {
      if (gzip === undefined) original.end(chunk);
      else gzip.end(chunk);
      return response;
    },
  };
  Object.assign(response, changed);
}
