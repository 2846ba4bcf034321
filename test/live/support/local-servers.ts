import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { onTestFinished } from 'vitest';

/** What was asked of the local servers: `127.0.0.1:8080 /path`. */
export type Visits = string[];

export interface ServerInput {
  readonly port: number;
  /** @defaultValue `127.0.0.1` */
  readonly host?: string;
  readonly visits: Visits;
  /** Where paths redirect to. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** With the test's own certificate, for 127.0.0.1 and 127.0.0.2. */
  readonly tls?: boolean;
}

/**
 * For `NODE_EXTRA_CA_CERTS`. Self-signed, for 127.0.0.1 and 127.0.0.2, valid for a hundred years; it and its key are for these
 * tests alone.
 */
export const CERTIFICATE = new URL('./tls/cert.pem', import.meta.url).pathname;
export const PAGE = 'a page from here';

/** A server on the loopback that notes every visit. Goes with the test. */
export async function startServer(input: ServerInput): Promise<void> {
  const { port, host = '127.0.0.1', visits, redirects = {}, tls = false } = input;
  const answer: RequestListener = ({ url = '' }, response) => {
    visits.push(`${host}:${port} ${url}`);
    const location = redirects[url];
    response.writeHead(location === undefined ? 200 : 302, {
      'Content-Type': 'text/plain',
      ...(location === undefined ? {} : { Location: location }),
    });
    response.end(PAGE);
  };
  const server: Server = tls
    ? createTlsServer(
        { cert: readFileSync(CERTIFICATE), key: readFileSync(new URL('./tls/key.pem', import.meta.url)) },
        answer,
      )
    : createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}
