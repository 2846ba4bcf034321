import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A request as it arrived, unpacked. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** A server on loopback that takes whatever telemetry is sent, and keeps it. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

const UNPACK: Readonly<Record<string, (data: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** What clients ask before they send: anything that is not listed is answered `{}`. */
const ANSWERS: readonly (readonly [RegExp, (url: string) => unknown])[] = [
  // Datadog's agent lists what it takes.
  [/^\/info$/, () => ({ version: '7.60.0', endpoints: ['/v0.4/traces', '/evp_proxy/v2/', '/evp_proxy/v4/'] })],
  // Braintrust: the login tells where the rest is, the registration makes a project.
  [
    /^\/api\/apikey\/login/,
    (url) => ({ org_info: [{ id: 'org', name: 'org', api_url: url, proxy_url: url, is_universal_api: true }] }),
  ],
  [/^\/api\/project\/register/, () => ({ project: { id: 'project', name: 'project' } })],
];

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let url = '';
  const server = createServer((request, response) => {
    void read(request).then(
      (received) => {
        requests.push(received);
        const answer = ANSWERS.find(([path]) => path.test(received.path))?.[1](url) ?? {};
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answer));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  // A TCP server's address is an object; only a pipe's is a string.
  const { port } = server.address() as AddressInfo;
  url = `http://${HOST}:${port}`;
  return {
    url,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const packed = Buffer.concat(chunks);
  const unpack = UNPACK[request.headers['content-encoding'] ?? ''];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    contentType: request.headers['content-type'] ?? '',
    body: unpack === undefined ? packed : unpack(packed),
  };
}
