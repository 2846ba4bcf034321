import { request as http1Request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface EventReader {
  readonly encoding: string;
  /** Resolves when the text has come. Rejects after 20 s, with what came instead. */
  until(text: string): Promise<void>;
  /** Closes the connection. */
  leave(): void;
}

/** Reads a stream as a browser does that takes gzip. @param url - Of a server without TLS. */
export async function readEvents(url: string, protocol: 'HTTP/1.1' | 'HTTP/2'): Promise<EventReader> {
  const { encoding, body, leave } = await (protocol === 'HTTP/2' ? overHttp2(url) : overHttp1(url));
  const source: Readable = encoding === 'gzip' ? body.pipe(createGunzip()) : body;
  let seen = '';
  source.on('error', () => {});
  source.on('data', (chunk) => {
    seen += chunk;
  });
  const until = async (text: string): Promise<void> => {
    const late = AbortSignal.timeout(20_000);
    while (!seen.includes(text)) {
      await new Promise<void>((resolve, reject) => {
        const fail = (): void => reject(new Error(`no ${text} within 20 s, only: ${seen}`));
        late.addEventListener('abort', fail, { once: true });
        source.once('data', () => {
          late.removeEventListener('abort', fail);
          resolve();
        });
      });
    }
  };
  return { encoding, until, leave };
}

interface Opened {
  readonly encoding: string;
  readonly body: Readable;
  leave(): void;
}

async function overHttp1(url: string): Promise<Opened> {
  return await new Promise((resolve, reject) => {
    const request = http1Request(url, { agent: false, headers: { 'accept-encoding': 'gzip' } }, (body) => {
      body.on('error', () => {});
      resolve({ encoding: body.headers['content-encoding'] ?? '', body, leave: () => request.destroy() });
    });
    request.once('error', reject).end();
  });
}

async function overHttp2(url: string): Promise<Opened> {
  const { origin, pathname } = new URL(url);
  return await new Promise((resolve, reject) => {
    const session = connectHttp2(origin).once('error', reject);
    const body = session.request({ ':path': pathname, 'accept-encoding': 'gzip' });
    body.once('error', reject).once('response', (headers) => {
      const encoding = String(headers['content-encoding'] ?? '');
      resolve({ encoding, body, leave: () => session.destroy() });
    });
  });
}
