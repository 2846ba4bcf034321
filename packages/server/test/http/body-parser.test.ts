/** What is said when something in front of the handler has read the body (V-7). */

import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler, type Handler } from '../../src/http/handler.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';
import { type ExpressApp, listenerOf, mountedServer } from '../helpers/mounts.js';

const express = createRequire(import.meta.url)('express') as (() => ExpressApp) & { json(): RequestListener };
const ALREADY_READ = expect.stringContaining('Mount the handler before it');

const newHandler = () => createHandler({ host: hostOn(cliFor(NONE)) });

async function postTo(url: string, body: string | ReadableStream): Promise<{ status: number; detail?: string }> {
  const response = await fetch(`${url}/conversations`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' },
  } as RequestInit);
  return { status: response.status, ...((await response.json()) as object) };
}

async function behindParser(handler: Handler): Promise<string> {
  const app = express();
  app.use('/claude', express.json());
  app.use('/claude', listenerOf(handler));
  const server = await mountedServer(app);
  onTestFinished(() => server.close());
  return server.url;
}

const chunked = () => new Blob(['{"title":"First"}']).stream();

test.each([
  ['with its length', () => '{"title":"First"}'],
  ['in chunks', chunked],
])('behind `express.json()` a body %s is refused with advice', async (_, bodyOf) => {
  const answer = await postTo(await behindParser(newHandler()), bodyOf());
  expect(answer).toMatchObject({ status: 400, code: 'invalid', detail: ALREADY_READ });
});

test('a request whose body was read is refused with advice', async () => {
  const request = new Request('http://localhost/conversations', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
  });
  await request.text();
  const response = await newHandler()(request, { remoteAddress: '127.0.0.1' });
  expect([response.status, await response.json()]).toMatchObject([400, { detail: ALREADY_READ }]);
});

test('a client that sends no body is told that it is not JSON', async () => {
  const app = express();
  app.use('/claude', listenerOf(newHandler()));
  const server = await mountedServer(app);
  onTestFinished(() => server.close());
  expect(await postTo(server.url, '')).toMatchObject({ status: 400, detail: 'The body is not JSON.' });
});
