import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHandler, type HandlerOptions } from '../../src/http/handler.js';
import { ROUTES } from '../../src/http/routes.js';
import { serve } from '../../src/http/serve.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';

const LOCAL = { remoteAddress: '127.0.0.1' };
const JSON_TYPE = { 'content-type': 'application/json' };

function handlerOn(options: Partial<HandlerOptions> = {}) {
  const host = hostOn(cliFor(NONE));
  return { host, handler: createHandler({ host, ...options }) };
}

async function serverOn(options: Partial<HandlerOptions> = {}) {
  const made = handlerOn(options);
  const server = await serve({ handler: made.handler, port: 0 });
  onTestFinished(() => server.close());
  return { ...made, server, port: Number(new URL(server.url).port) };
}

const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

test('streams asked for behind a stream have no viewers, and none is left when the connection closes', async () => {
  const { host, port } = await serverOn();
  const { id } = await newKey(host, 'local');
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /conversations/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(20));
  await once(socket, 'data');
  // Another connection's answer: whatever the server did with the twenty requests has begun.
  await expect.poll(() => host.metrics().viewers).toBe(1);
  expect((await fetch(`http://127.0.0.1:${port}/conversations`)).status).toBe(200);
  expect(host.metrics().viewers).toBe(1);
  socket.destroy();
  await expect.poll(() => host.metrics().viewers).toBe(0);
});

test('a connection with a flood of requests behind a stream is ended', async () => {
  const { host, port } = await serverOn();
  const { id } = await newKey(host, 'local');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  socket.write(`GET /conversations/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(200));
  await once(socket, 'close');
  await expect.poll(() => host.metrics().viewers).toBe(0);
});

test('requests that a client sends at once are answered in order', async () => {
  const { port } = await serverOn();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const one = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`;
  socket.write(one('/conversations') + one('/nothing') + one('/conversations', 'Connection: close\r\n'));
  await once(socket, 'close');
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
});

test('a steady reader of one big event is not cut off, one that takes nothing is', async () => {
  const { pacedWrite } = await import('../../src/http/paced-write.js');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let taken = 0;
  let isStuck = false;
  const to = new Writable({
    highWaterMark: 1,
    write: (chunk: Uint8Array, _, done) => {
      taken += chunk.byteLength;
      if (!isStuck) setTimeout(done, 1_500);
    },
  });
  const pace = { slowReaderMs: 2_000, gone: new AbortController() };
  const all = pacedWrite(to, new Uint8Array(1024 * 1024), pace);
  await vi.advanceTimersByTimeAsync(16 * 1_500);
  await all;
  expect([taken, vi.getTimerCount()]).toEqual([1024 * 1024, 0]);
  isStuck = true;
  const cut = expect(pacedWrite(to, new Uint8Array(10), pace)).rejects.toMatchObject({ name: 'AbortError' });
  await vi.advanceTimersByTimeAsync(2_000);
  await cut;
  expect(vi.getTimerCount()).toBe(0);
});

test.each([0, Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])('timers of %s are refused', async (value) => {
  const { host, handler } = handlerOn();
  const refused = { code: 'invalid', message: expect.stringContaining('must be an integer') };
  for (const name of ['heartbeatMs', 'retryMs', 'maxBodyBytes']) {
    expect(() => createHandler({ host, [name]: value })).toThrow(expect.objectContaining(refused));
  }
  for (const name of ['slowReaderMs', 'headersTimeoutMs', 'requestTimeoutMs', 'maxConnections']) {
    const made = serve({ handler, port: 0, [name]: value }).then((server) => server.close());
    await expect(made, name).rejects.toMatchObject(refused);
  }
});

test.each([
  [
    'throws',
    () => {
      throw new Error('log is down');
    },
  ],
  ['rejects', () => Promise.reject(new Error('log is down'))],
])('the handler does not reject when `onError` %s', async (_, onError) => {
  const { handler } = handlerOn({ authenticate: () => Promise.reject(new Error('no database')), onError });
  expect((await handler(new Request('http://localhost/conversations'))).status).toBe(500);
});

test('`onError` hears of a store that fails, and not of requests that are refused', async () => {
  const heard: unknown[] = [];
  const store = new InMemoryConversationStore();
  const host = hostOn(cliFor(NONE), { store });
  const handler = createHandler({ host, onError: (error) => heard.push(error) });
  for (const path of ['/nothing', '/conversations/x/events'])
    await handler(new Request(`http://localhost${path}`), LOCAL);
  await handler(new Request('http://evil.example/conversations'), LOCAL);
  expect(heard).toEqual([]);
  store.list = () => Promise.reject(new Error('disk'));
  expect((await handler(new Request('http://localhost/conversations'), LOCAL)).status).toBe(500);
  expect(heard).toHaveLength(1);
});

test('a client that goes away within its body is no failure of the server', async () => {
  const heard: unknown[] = [];
  const answered: number[] = [];
  const host = hostOn(cliFor(NONE));
  const inner = createHandler({ host, onError: (error) => heard.push(error) });
  const handler = Object.assign(
    async (...args: Parameters<typeof inner>) => {
      const response = await inner(...args);
      answered.push(response.status);
      return response;
    },
    { authenticates: false },
  );
  const server = await serve({ handler, port: 0 });
  onTestFinished(() => server.close());
  const port = Number(new URL(server.url).port);
  const socket = connect(port, '127.0.0.1');
  const head = `POST /conversations HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: 900\r\nExpect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => answered).toEqual([400]);
  expect(heard).toEqual([]);
});

test.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'])(
  'without `authenticate` a request with %s is not taken for one of this machine',
  async (name) => {
    const { handler } = handlerOn({ page: true });
    for (const path of ['/', '/conversations']) {
      const request = new Request(`http://localhost${path}`, { headers: { [name]: '203.0.113.9' } });
      expect((await handler(request, LOCAL)).status, path).toBe(401);
    }
  },
);

test('HEAD is answered as GET without a body, and leaves no viewer', async () => {
  const { host, handler } = handlerOn({ page: true });
  const { id } = await newKey(host, 'local');
  for (const path of ['/', '/page/page.js', '/conversations', `/conversations/${id}/events`]) {
    const response = await handler(new Request(`http://localhost${path}`, { method: 'HEAD' }), LOCAL);
    expect([response.status, await response.text()], path).toEqual([200, '']);
  }
  expect(host.metrics().viewers).toBe(0);
});

test('HEAD has the status and the headers of GET, also where GET is refused', async () => {
  const { host, handler } = handlerOn({ page: true });
  const { id } = await newKey(host, 'local');
  const gets = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path.replace(':id', id));
  const missing = gets.map((path) => path.replace(id, '11111111-1111-4111-8111-111111111111'));
  for (const path of ['/', '/page/page.js', '/nothing', `/conversations/${id}/messages`, ...gets, ...missing]) {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => handler(new Request(`http://localhost${path}`, { method }), LOCAL)),
    );
    expect([head?.status, [...head!.headers], await head?.text()], path).toEqual([get?.status, [...get!.headers], '']);
    await get?.body?.cancel();
  }
  expect(host.metrics().viewers).toBe(0);
});

test.each([
  ['a number that would become null', '{"behavior":"allow","updatedInput":{"n":1e400}}'],
  ['what nobody can store', `{"behavior":"allow","updatedInput":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`],
])('a body with %s is refused as invalid', async (_, body) => {
  const { host, handler } = handlerOn();
  const { id } = await newKey(host, 'local');
  const url = `http://localhost/conversations/${id}/questions/11111111-1111-4111-8111-111111111111`;
  const response = await handler(new Request(url, { method: 'POST', headers: JSON_TYPE, body }), LOCAL);
  expect([response.status, await codeOf(response)]).toEqual([400, 'invalid']);
});

test.each<[string, number, string, Partial<HandlerOptions>, Record<string, string>]>([
  ['nobody knows', 401, 'Sign in where you do it', { authenticate: () => undefined }, {}],
  ['a proxy brings, without `authenticate`', 401, 'only programs on this machine', {}, { via: '1.1 proxy' }],
  ['comes by a foreign name', 403, '`allowedHosts`', {}, { host: 'evil.example' }],
  ['cannot be looked up', 500, 'The server failed.', { authenticate: () => Promise.reject(new Error('<db>')) }, {}],
])('a browser that %s sees a page at `/`, and a program a problem', async (_, status, text, options, headers) => {
  const { handler } = handlerOn({ page: true, ...options });
  const get = async (path: string, accept: string, method = 'GET') => {
    const request = new Request(`http://localhost${path}`, { method, headers: { accept, ...headers } });
    const response = await handler(request, LOCAL);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const page = await get('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
  expect(page).toEqual({ status, type: 'text/html; charset=utf-8', text: expect.stringContaining(text) });
  expect(page.text).not.toContain('<db>');
  const head = await get('/', 'text/html', 'HEAD');
  expect(head).toEqual({ status, type: 'text/html; charset=utf-8', text: '' });
  const problem = { status, type: 'application/problem+json' };
  expect(await get('/', '*/*')).toMatchObject(problem);
  // What the page calls, and what nobody opens.
  expect(await get('/conversations', 'text/html')).toMatchObject(problem);
});
