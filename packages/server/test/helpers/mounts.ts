import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Handler } from '../../src/http/handler.js';

/** The part of Express that is used here: it comes without types. */
export type ExpressApp = RequestListener & { use(path: string, listener: RequestListener): void };
const express = createRequire(import.meta.url)('express') as () => ExpressApp;

export interface MountedServer {
  /** Of the prefix, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** A handler as listeners of `node:http` have it, with the address of the peer. */
export const listenerOf = (handler: Handler): RequestListener =>
  getRequestListener((request, { incoming }) =>
    handler(request, { remoteAddress: (incoming as { socket?: { remoteAddress?: string } }).socket?.remoteAddress }),
  );

/** Ways to mount a handler at `/claude`. */
export const MOUNTS: Readonly<Record<string, (handler: Handler) => RequestListener>> = {
  'Hono, mount': (handler) => {
    const app = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>();
    app.mount('/claude', (request, { incoming }) => handler(request, { remoteAddress: incoming.socket.remoteAddress }));
    return getRequestListener((request, env) => app.fetch(request, env as never));
  },
  'Express, use': (handler) => {
    const app = express();
    app.use('/claude', listenerOf(handler));
    return app;
  },
  'node:http, without the prefix': (handler) => {
    const listener = listenerOf(handler);
    return (request, response) => {
      const { url = '/' } = request;
      if (!/^\/claude(?=[/?]|$)/.test(url)) {
        response.writeHead(404).end();
        return;
      }
      request.url = url.slice('/claude'.length).replace(/^(?!\/)/, '/');
      listener(request, response);
    };
  },
};

export async function mountedServer(listener: RequestListener): Promise<MountedServer> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/claude`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
