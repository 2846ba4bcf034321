import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { createHandler, type Handler, type HandlerOptions } from '../../src/http/handler.js';
import { type ServeOptions, serve } from '../../src/http/serve.js';
import { described } from '../helpers/described.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey } from '../helpers/hosts.js';

const BASE = 'http://localhost:8080';

function handlerOn(script: Parameters<typeof cliFor>[0], options: Partial<HandlerOptions> = {}) {
  const host = hostOn(cliFor(script));
  const handler = described(createHandler({ host, authenticate: userOf, ...options }));
  return { host, handler, call: caller(handler) };
}

function userOf(request: Request): string | undefined {
  return request.headers.get('x-user') ?? undefined;
}

function caller(handler: Handler) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    handler(
      new Request(`${BASE}${path}`, {
        ...{ method, headers: { 'x-user': 'ada', 'content-type': 'application/json', ...headers } },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
}

describe('approvals', () => {
  const approvals = () => ({
    store: new InMemoryApprovalStore(),
    keys: [{ id: 'k1', secret: new Uint8Array(32).fill(7) }],
    needsApproval: () => true,
  });
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' };
  const deferring: Parameters<typeof cliFor>[0] = ({ prompt, init, hook, result }) => [
    ...[prompt('Go'), init(), hook('PreToolUse', call)],
    result('', {
      terminal_reason: 'tool_deferred',
      deferred_tool_use: { id: 'toolu_1', name: 'Bash', input: call.tool_input },
    }),
  ];

  async function deferred(options: Partial<HandlerOptions> = {}) {
    const host = hostOn(cliFor(deferring), { approvals: approvals() });
    const handler = described(createHandler({ host, authenticate: (request) => userOf(request), ...options }));
    const send = caller(handler);
    const key = await newKey(host);
    expect(await ask(host, key, 'Go')).toBe('deferred');
    const path = `/conversations/${key.id}/approvals`;
    const listed = (await (await send('GET', path)).json()) as { approvals: { approvalId: string; token: string }[] };
    const [approval] = listed.approvals;
    if (approval === undefined) throw new Error('nothing waits');
    return { send, path, one: `${path}/${approval.approvalId}`, token: approval.token };
  }

  test('are listed with their tokens, and refused to whoever has none', async () => {
    const { send, path, one, token } = await deferred();
    const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
    const allow = { token, behavior: 'allow' };
    const refused = [
      ['POST', one, { ...allow, token: `${token}x` }, {}, 'forbidden'],
      ['POST', one, { behavior: 'allow' }, {}, 'invalid'],
      ['POST', one, { ...allow, behavior: 'perhaps' }, {}, 'invalid'],
      ['POST', one, { ...allow, tenant: 'ada' }, {}, 'invalid'],
      ['POST', one, allow, { 'x-user': 'bob' }, 'not_found'],
      ['GET', path, undefined, { 'x-user': 'bob' }, 'not_found'],
      ['POST', `${path}/nothing`, allow, {}, 'not_found'],
      ['POST', one, allow, { origin: 'https://evil.example' }, 'forbidden_origin'],
      // What was said before was not stored by this script, so it cannot go on.
      ['POST', one, allow, {}, 'conflict'],
    ] as const;
    for (const [method, to, body, headers, code] of refused) {
      expect(await codeOf(await send(method, to, body, headers)), `${to} ${code}`).toBe(code);
    }
  });

  test.each([false, undefined])('are refused to whom `mayDecide` gives %s', async (given) => {
    const { send, one, token } = await deferred({ mayDecide: () => given as boolean });
    expect((await send('POST', one, { token, behavior: 'allow' })).status).toBe(403);
  });
});

describe('the handler', () => {
  test('serves a conversation from its creation to its removal', async () => {
    const { host, call } = handlerOn(({ turn }) => [turn('Hello.\n\nevent: fake\ndata: {}\r\n\r\u2028', 'Hi')]);
    const made = await call('POST', '/conversations', { title: 'First' });
    expect(made.status).toBe(201);
    const { id } = (await made.clone().json()) as { id: string };
    const { pathname } = new URL(made.headers.get('location') ?? '', `${BASE}/conversations`);
    expect(pathname).toBe(`/conversations/${id}`);
    const item = await (await call('GET', pathname)).json();
    expect([await made.json(), await (await call('GET', '/conversations')).json()]).toEqual([
      item,
      { conversations: [item] },
    ]);
    const sent = await call('POST', `/conversations/${id}/messages`, { text: 'Hi' });
    expect([sent.status, await sent.json()]).toEqual([202, { eventId: 1 }]);
    await eventsUntil(host, { tenant: 'ada', id }, ({ event }) => event.type === 'turn_ended');

    const stream = await call('GET', `/conversations/${id}/events`, undefined, { 'last-event-id': '1' });
    await host.drain();
    const blocks = (await stream.text()).split('\n\n');
    expect(blocks[0]).toBe('retry: 2000');
    expect(blocks.slice(1, -1).map((block) => block.split('\n').map((line) => line.split(':')[0]))).toEqual(
      Array.from({ length: 4 }, () => ['id', 'event', 'data']),
    );
    expect(blocks.at(-2)).toMatch(
      /^id: 5\nevent: turn_ended\ndata: \{"at":\d+,"type":"turn_ended","outcome":"completed","costUsd":0.001\}$/,
    );

    expect((await call('GET', '/conversations')).status).toBe(200);
    expect((await call('GET', `/conversations/${id}/transcript?limit=5`)).status).toBe(200);
    expect(await (await call('POST', `/conversations/${id}/interrupt`)).json()).toEqual({ interrupted: false });
    expect((await call('POST', `/conversations/${id}/messages`, { text: 'Hi' })).status).toBe(503);
    expect((await call('DELETE', `/conversations/${id}`)).status).toBe(204);
    expect((await call('GET', `/conversations/${id}/events`)).status).toBe(404);
    expect((await call('GET', `/conversations/${id}`)).status).toBe(404);
  });

  test('a conversation of somebody else, an unknown one and one with an id that is none look alike', async () => {
    const { host, call } = handlerOn(NONE);
    const { id } = await newKey(host);
    const unknown = '11111111-1111-4111-8111-111111111111';
    const asked: [string, string][] = [
      [id, 'bob'],
      [unknown, 'ada'],
      ['x', 'ada'],
    ];
    const answers = asked.map(async ([each, user]) => {
      const response = await call('GET', `/conversations/${each}`, undefined, { 'x-user': user });
      return [response.status, await response.text()];
    });
    const [first, ...others] = await Promise.all(answers);
    expect(first).toEqual([404, expect.stringContaining('not_found')]);
    expect(others).toEqual([first, first]);
  });

  test('a path that takes another method says which, with HEAD where it takes GET', async () => {
    const { call } = handlerOn(NONE);
    const response = await call('PUT', '/conversations');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('answers a question', async () => {
    const { host, call } = handlerOn(({ prompt, init, toolUse, permission, toolResult, result }) => [
      ...[
        prompt('Go'),
        init(),
        toolUse('Bash', {}),
        permission(),
        toolResult('no', { isError: true }),
        result('Done.'),
      ],
    ]);
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const asked = (await eventsUntil(host, key, ({ event }) => event.type === 'question')).at(-1)!;
    const { questionId } = asked.event as { questionId: string };
    const path = `/conversations/${key.id}/questions/${questionId}`;
    expect((await call('POST', path, { behavior: 'maybe' })).status).toBe(400);
    expect((await call('POST', path, { behavior: 'deny' }, { 'x-user': 'bob' })).status).toBe(404);
    expect((await call('POST', path, { behavior: 'deny' })).status).toBe(204);
    await eventsUntil(host, key, ({ event }) => event.type === 'turn_ended', asked.id);
  });

  test.each([
    ['another tenant', 404, 'not_found', 'GET', '/events', undefined, { 'x-user': 'bob', 'last-event-id': '0' }],
    ['nobody', 401, 'unauthorized', 'GET', '/events', undefined, { 'x-user': '' }],
    [
      'a foreign origin',
      403,
      'forbidden_origin',
      'POST',
      '/messages',
      { text: 'Hi' },
      { origin: 'https://evil.example' },
    ],
    ['an opaque origin', 403, 'forbidden_origin', 'POST', '/messages', { text: 'Hi' }, { origin: 'null' }],
    ['a cross-site request', 403, 'forbidden_origin', 'GET', '/events', undefined, { 'sec-fetch-site': 'cross-site' }],
    ['a rebound name', 403, 'forbidden_host', 'GET', '/events', undefined, { host: 'evil.example' }],
    ['a form', 415, 'unsupported_media_type', 'POST', '/messages', 'text=Hi', { 'content-type': 'text/plain' }],
    ['no JSON', 400, 'invalid', 'POST', '/messages', '{', {}],
    ['a message of the assistant', 400, 'invalid', 'POST', '/messages', { text: 'Hi', role: 'assistant' }, {}],
    ['an empty message', 400, 'invalid', 'POST', '/messages', { text: ' ' }, {}],
    ['a giant body', 413, 'body_too_large', 'POST', '/messages', { text: 'x'.repeat(3_000) }, {}],
    ['an event from the future', 400, 'invalid', 'GET', '/events', undefined, { 'last-event-id': '99' }],
    ['no event', 400, 'invalid', 'GET', '/events', undefined, { 'last-event-id': '-1' }],
    ['another path', 404, 'unknown_route', 'GET', '/nothing', undefined, {}],
    ['another method', 405, 'method_not_allowed', 'DELETE', '/messages', undefined, {}],
  ])('refuses %s', async (_, status, code, method, path, body, headers) => {
    const { host, call } = handlerOn(NONE, { maxBodyBytes: 2_000 });
    const { id } = await newKey(host);
    const response = await call(method, `/conversations/${id}${path}`, body, headers as Record<string, string>);
    expect([response.status, await response.json()]).toMatchObject([status, { code, status }]);
    expect(host.metrics().viewers).toBe(0);
  });

  test.each(['..%2f..%2fetc', '%2e%2e', '..', 'x', '%00'])('the id %s names nothing', async (id) => {
    const { call } = handlerOn(NONE);
    expect((await call('GET', `/conversations/${id}/events`)).status).toBe(404);
  });

  test('a handler without authentication serves loopback alone', async () => {
    const handler = createHandler({ host: hostOn(cliFor(NONE)), allowedHosts: ['localhost:8080', 'app.example'] });
    const status = async (url: string, remoteAddress?: string) =>
      (await handler(new Request(`${url}/conversations`), { remoteAddress })).status;
    expect(await status(BASE, '127.0.0.1')).toBe(200);
    expect(await status(BASE, '::ffff:127.0.0.1')).toBe(200);
    expect(await status(BASE, '10.0.0.1')).toBe(401);
    expect(await status(BASE)).toBe(401);
    expect(await status('http://app.example', '127.0.0.1')).toBe(401);
  });

  test('says nothing of the inside when something fails', async () => {
    const heard: unknown[] = [];
    const { call } = handlerOn(NONE, {
      authenticate: () => Promise.reject(new Error('password of /srv/db is x')),
      onError: (error) => heard.push(error),
    });
    const response = await call('GET', '/conversations');
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('/srv/db')]);
    expect(heard).toHaveLength(1);
  });

  test('sends comments in silence, and a viewer that leaves is gone', async () => {
    const { host, call } = handlerOn(NONE, { heartbeatMs: 1 });
    const { id } = await newKey(host);
    const reader = (await call('GET', `/conversations/${id}/events`)).body!.getReader();
    const texts = [await reader.read(), await reader.read()].map(({ value }) => Buffer.from(value ?? []).toString());
    expect(texts).toEqual(['retry: 2000\n\n', ': still here\n\n']);
    expect(host.metrics().viewers).toBe(1);
    await reader.cancel();
    await expect.poll(() => host.metrics().viewers).toBe(0);
  });
});

describe('serve', () => {
  async function serverOn(script: Parameters<typeof cliFor>[0], options: Partial<ServeOptions> = {}) {
    const host = hostOn(cliFor(script));
    const server = await serve({ handler: createHandler({ host, maxBodyBytes: 1_000 }), port: 0, ...options });
    onTestFinished(() => server.close());
    return { host, server, port: Number(new URL(server.url).port) };
  }

  /** What the server answers to these bytes. */
  async function raw(port: number, text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.end(text);
    await once(socket, 'close');
    return answer;
  }

  test('does not listen to the network without authentication', async () => {
    const handler = createHandler({ host: hostOn(cliFor(NONE)) });
    for (const host of ['0.0.0.0', '::', '192.168.1.1', '']) {
      await expect(serve({ handler, port: 0, host })).rejects.toMatchObject({ code: 'invalid' });
    }
  });

  test('a second close, while the first one still ends connections, resolves with it', async () => {
    const { host, server } = await serverOn(NONE);
    const { id } = await newKey(host, 'local');
    const stream = await fetch(`${server.url}/conversations/${id}/events`);
    const reader = stream.body!.getReader();
    await reader.read();
    let isOver = false;
    const first = server.close().then(() => {
      isOver = true;
    });
    await server.close();
    expect(isOver).toBe(true);
    await first;
    await server.close();
    await expect(reader.read()).rejects.toThrow();
  });

  test('streams over a real connection, and knows when the reader leaves', async () => {
    const { host, server } = await serverOn(({ turn }) => [turn('Hello.', 'Hi')]);
    const made = await fetch(`${server.url}/conversations`, {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    });
    const { id } = (await made.json()) as { id: string };
    const left = new AbortController();
    const stream = await fetch(`${server.url}/conversations/${id}/events`, { signal: left.signal });
    expect(await ask(host, { tenant: 'local', id }, 'Hi')).toBe('completed');
    let text = '';
    for await (const chunk of stream.body!) {
      text += Buffer.from(chunk).toString();
      if (text.includes('turn_ended')) break;
    }
    left.abort();
    await expect.poll(() => host.metrics().viewers).toBe(0);
  });

  test('keeps every cookie of a response', async () => {
    const headers: [string, string][] = [
      ['set-cookie', 'session=1; HttpOnly'],
      ['set-cookie', 'csrf=2'],
    ];
    const answer = async () => new Response('Hello.', { headers });
    const server = await serve({ handler: Object.assign(answer, { authenticates: true }), port: 0 });
    onTestFinished(() => server.close());
    expect((await fetch(server.url)).headers.getSetCookie()).toEqual(['session=1; HttpOnly', 'csrf=2']);
  });

  test('refuses requests that are none', async () => {
    const { port } = await serverOn(NONE);
    const requests: [string, RegExp][] = [
      ['GET /conversations HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 403/],
      ['GET http://localhost/conversations HTTP/1.1\r\nHost: localhost\r\n\r\n', /^HTTP\/1.1 400/],
      ['GET /conversations HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n', /^HTTP\/1.1 400/],
      ['GET /conversations HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400/],
      [`GET /conversations HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431/],
      [
        'POST /conversations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        /^HTTP\/1.1 400/,
      ],
      [
        `POST /conversations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(9_000)}`,
        /^HTTP\/1.1 413/,
      ],
    ];
    for (const [text, answer] of requests) expect(await raw(port, text), text.slice(0, 60)).toMatch(answer);
  });
});
