import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { type MessagesApiEvent, REDACTED } from '../../../src/testing/messages-api/requests.js';
import type { Turn } from '../../../src/testing/messages-api/turn.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { json, MAIN, post, readEvents, startApi } from './client.js';

/** Longer than any test: a wait that only a cancellation ends. */
const FOR_EVER_MS = 3_600_000;

test('neither the server nor what is connected to it keeps the host alive (C-9)', async () => {
  const held = (): string[] => process.getActiveResourcesInfo().filter((name) => /^TCPS/.test(name));
  const before = held().length;
  const api = await startApi({ turns: ['Hello.'] });
  expect(held()).toHaveLength(before);
  const { resolve, promise: isConnected } = createDeferred<void>();
  const socket = connect(api.port, '127.0.0.1', resolve).unref();
  await isConnected;
  await post(api, MAIN);
  // What is left is the client's of the last request.
  await vi.waitFor(() => expect(held().length).toBeLessThanOrEqual(before + 1));
  socket.destroy();
});

describe('a scripted turn', () => {
  const bodies: readonly { name: string; turn: Turn; status: number; body: object }[] = [
    {
      name: 'a string',
      turn: 'Hello.',
      status: 200,
      body: {
        id: 'msg_fake_0001',
        type: 'message',
        role: 'assistant',
        model: 'm-1',
        content: [{ type: 'text', text: 'Hello.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
      },
    },
    {
      name: 'blocks with a tool call, whose raw input stays out of an unstreamed body',
      turn: {
        blocks: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'tool_use', name: 'Bash', input: { command: 'ls' }, rawInput: '{' },
        ],
      },
      status: 200,
      body: {
        content: [
          { type: 'thinking', thinking: 'hm', signature: expect.any(String) },
          { type: 'tool_use', id: 'toolu_fake_0001', name: 'Bash', input: { command: 'ls' } },
        ],
        stop_reason: 'tool_use',
      },
    },
    {
      name: 'model, stop reason and usage of its own',
      turn: { text: 'x', model: 'm-2', stopReason: 'max_tokens', usage: { input_tokens: 5 } },
      status: 200,
      body: { model: 'm-2', stop_reason: 'max_tokens', usage: { input_tokens: 5 } },
    },
    {
      name: 'an HTTP error, its type after the status',
      turn: { error: { status: 529 } },
      status: 529,
      body: {
        type: 'error',
        error: { type: 'overloaded_error', message: 'Scripted error' },
        request_id: 'req_fake_0001',
      },
    },
    {
      name: 'an HTTP error of a status the API does not have',
      turn: { error: { status: 418 } },
      status: 418,
      body: { error: { type: 'api_error' } },
    },
    {
      name: 'an HTTP error with type and message of its own',
      turn: { error: { status: 400, type: 'odd', message: 'No.' } },
      status: 400,
      body: { error: { type: 'odd', message: 'No.' } },
    },
    {
      name: 'a computed turn, which sees the request',
      turn: (request) => () => `${request.kind} ${request.model} ${request.lastUserText}`,
      status: 200,
      body: { content: [{ type: 'text', text: 'main m-1 Hi' }] },
    },
    {
      name: 'a computed turn that throws is a 500, and says so',
      turn: () => {
        throw new Error('boom');
      },
      status: 500,
      body: { error: { type: 'api_error', message: 'The script failed: boom' } },
    },
    {
      name: 'a computed turn that never stops computing',
      turn: function again() {
        return again;
      },
      status: 500,
      body: { error: { message: expect.stringContaining('returned functions 10 times') } },
    },
  ];
  for (const { name, turn, status, body } of bodies) {
    test(`unstreamed: ${name}`, async () => {
      const api = await startApi({ turns: [turn] });
      const response = await post(api);
      expect(response.status).toBe(status);
      expect(response.headers.get('request-id')).toBe('req_fake_0001');
      expect(await json(response)).toMatchObject(body);
      expect(api.requests[0]?.status).toBe(status);
    });
  }

  test('headers of an error turn reach the client', async () => {
    const api = await startApi({ turns: [{ error: { status: 429 }, headers: { 'retry-after': '1' } }] });
    expect((await post(api)).headers.get('retry-after')).toBe('1');
  });

  test('raw bytes come as they are', async () => {
    const api = await startApi({ turns: [{ raw: '<html>', status: 502, contentType: 'text/html' }] });
    const response = await post(api);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      502,
      'text/html',
      '<html>',
    ]);
  });

  test('a stream is server-sent events in the order of the API', async () => {
    const api = await startApi({ turns: [{ text: 'Hello there.', chunkSize: 6, delayMs: 1 }] });
    const response = await post(api, { ...MAIN, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const { events, broken } = await readEvents(response);
    expect(broken).toBe(false);
    expect(events.map((entry) => entry.event)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]?.data).toMatchObject({ message: { id: 'msg_fake_0001', model: 'm-1' } });
  });

  test('a text of a megabyte arrives whole', async () => {
    const text = 'é😀'.repeat(200_000);
    const api = await startApi({ turns: [{ text, chunkSize: 1000 }] });
    const { events } = await readEvents(await post(api, { ...MAIN, stream: true }));
    const arrived = events.map((entry) => (entry.data.delta as { text?: string } | undefined)?.text ?? '').join('');
    expect(arrived === text).toBe(true);
  });

  test('a truncated stream breaks behind what was sent, and is not the client’s doing', async () => {
    const seen: MessagesApiEvent[] = [];
    const api = await startApi({ turns: [{ text: 'cut here', truncate: true }], onEvent: (event) => seen.push(event) });
    const { events, broken } = await readEvents(await post(api, { ...MAIN, stream: true }));
    expect(broken).toBe(true);
    expect(events.at(-1)).toMatchObject({ data: { delta: { text: 'cut here' } } });
    expect(seen.map((event) => event.event)).toEqual(['api_request']);
  });

  test('an error in the stream is its last event', async () => {
    const api = await startApi({ turns: [{ text: 'a', sseError: { type: 'overloaded_error', message: 'busy' } }] });
    const { events, broken } = await readEvents(await post(api, { ...MAIN, stream: true }));
    expect(broken).toBe(false);
    expect(events.at(-1)).toEqual({
      event: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    });
  });
});

describe('waits', () => {
  const waits = [
    { name: 'firstTokenMs', turn: { text: 'abcd', firstTokenMs: FOR_EVER_MS }, last: 'ping' },
    { name: 'chunkMs', turn: { text: 'abcd', chunkSize: 1, chunkMs: FOR_EVER_MS }, last: 'content_block_delta' },
    { name: 'holdMs', turn: { text: 'abcd', holdMs: FOR_EVER_MS }, last: 'content_block_stop' },
  ];
  for (const { name, turn, last } of waits) {
    test(`${name} holds the stream behind ${last}, and the client may leave`, async () => {
      const left = createDeferred<void>();
      const api = await startApi({
        turns: [turn],
        onEvent: (event) => {
          if (event.event === 'api_client_closed') left.resolve();
        },
      });
      const response = await post(api, { ...MAIN, stream: true });
      const { events } = await readEvents(response, (so) => so.at(-1)?.event === last);
      expect(events.filter((entry) => entry.event === last)).toHaveLength(1);
      expect(events.at(-1)?.event).toBe(last);
      await left.promise;
    });
  }

  const endless: readonly { name: string; turn: Turn; status: number | null }[] = [
    { name: 'hang', turn: { hang: true }, status: null },
    { name: 'delayMs', turn: { text: 'late', delayMs: FOR_EVER_MS }, status: 200 },
  ];
  for (const { name, turn, status } of endless) {
    test(`${name} gives no answer, and close() ends it at once`, async () => {
      const asked = createDeferred<void>();
      const seen: MessagesApiEvent[] = [];
      const api = await startApi({
        turns: [turn],
        onEvent: (event) => {
          seen.push(event);
          asked.resolve();
        },
      });
      const answer = post(api).then(
        () => 'answered',
        () => 'connection closed',
      );
      await asked.promise;
      expect(seen).toMatchObject([{ event: 'api_request', status }]);
      await Promise.all([api.close(), api.close()]);
      expect(await answer).toBe('connection closed');
      expect(seen).toHaveLength(1);
      await expect(post(api)).rejects.toThrow();
    });
  }
});

describe('which turn a request gets', () => {
  test('turns are served in order, then the fallback', async () => {
    const api = await startApi({ turns: ['one', { text: 'two', times: 2 }] });
    expect(api.remainingTurns).toBe(2);
    expect(await texts(api, 4)).toEqual(['one', 'two', 'two', 'Done.']);
    expect(api.remainingTurns).toBe(0);
    expect(api.requests.map((request) => request.source)).toEqual(['script', 'script', 'script', 'fallback']);
  });

  test('a turn may repeat for ever', async () => {
    const api = await startApi({ turns: [{ text: 'again', times: Infinity }] });
    expect(await texts(api, 3)).toEqual(['again', 'again', 'again']);
    expect(api.remainingTurns).toBe(1);
  });

  test('a turn with a condition waits for its request, the others pass it', async () => {
    const api = await startApi({ turns: [{ text: 'for m-2', when: (request) => request.model === 'm-2' }, 'for any'] });
    expect(await texts(api, 1)).toEqual(['for any']);
    expect(await texts(api, 1, { ...MAIN, model: 'm-2' })).toEqual(['for m-2']);
  });

  const sides = [
    { name: 'a side call has an answer of its own', side: undefined, system: '', answer: 'OK' },
    {
      name: 'a title call gets a title',
      side: undefined,
      system: [{ type: 'text', text: 'Make a title.' }],
      answer: '{"title":"Scripted session"}',
    },
    { name: 'side calls may be scripted', side: 'mine', system: 'title', answer: 'mine' },
  ];
  for (const { name, side, system, answer } of sides) {
    test(`${name} and uses up no turn`, async () => {
      const api = await startApi({ turns: ['main'], ...(side === undefined ? {} : { side }) });
      const call = { ...MAIN, tools: [], system };
      expect(await texts(api, 2, call)).toEqual([answer, answer]);
      expect(api.remainingTurns).toBe(1);
      expect(api.requests[0]?.source).toBe('side');
    });
  }
});

describe('a turn of the conversation that offers no tools', () => {
  // As the CLI was seen to send it, with `tools: []` and such a system prompt.
  const system = [
    { type: 'text', text: 'You are a Claude agent, built on Anthropic’s Claude Agent SDK.' },
    { type: 'text', text: 'Invent a title for the text.' },
  ];
  const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
  const reminder = { type: 'text', text: '<system-reminder>\n# Environment\n</system-reminder>' };
  const calls = [
    { name: 'thinking', body: { messages: [user], context_management: { edits: [] } } },
    { name: 'an environment in a message of its own', body: { messages: [user, { role: 'system', content: [] }] } },
    {
      name: 'an environment in a reminder',
      body: { messages: [{ role: 'user', content: [reminder, ...user.content] }] },
    },
  ];
  test.each(calls)('and has $name is not mistaken for a request for a title', async ({ body }) => {
    const api = await startApi({ turns: ['An answer.'] });
    expect(await texts(api, 1, { ...MAIN, tools: [], system, ...body })).toEqual(['An answer.']);
    expect(api.requests).toMatchObject([{ kind: 'main', source: 'script' }]);
  });

  test('the request for a title stays one, whatever the session is about', async () => {
    const api = await startApi({ turns: ['main'] });
    const text = 'You are naming a coding session so the user can pick it out of a long list.';
    const call = {
      ...MAIN,
      tools: [],
      system: [system[0], { type: 'text', text }],
      messages: [{ role: 'user', content: '<session>\n<system-reminder>\n</session>' }],
    };
    expect(await texts(api, 1, call)).toEqual(['{"title":"Scripted session"}']);
    expect(api.requests[0]?.kind).toBe('side:title');
    expect(api.remainingTurns).toBe(1);
  });
});

describe('other routes and limits', () => {
  test('count_tokens counts four characters to a token, or what it is told', async () => {
    const path = '/v1/messages/count_tokens';
    const body = { system: '', messages: [], tools: [] };
    const counted = await json(await post(await startApi(), body, { path }));
    expect(counted).toEqual({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
    const told = await startApi({ countTokens: () => 7 });
    expect(await json(await post(told, body, { path }))).toEqual({ input_tokens: 7 });
  });

  test('HEAD of anything is 200', async () => {
    const api = await startApi();
    expect((await fetch(`${api.url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
  });

  const refused = [
    { name: 'an unknown route', path: '/v2', body: '{}', status: 404, type: 'not_found_error' },
    { name: 'a body that is not JSON', path: '/v1/messages', body: '{', status: 400, type: 'invalid_request_error' },
    {
      name: 'a body that is no object',
      path: '/v1/messages/count_tokens',
      body: '[]',
      status: 400,
      type: 'invalid_request_error',
    },
    {
      name: 'a body over the limit',
      path: '/v1/messages',
      body: JSON.stringify('x'.repeat(100)),
      status: 413,
      type: 'request_too_large',
    },
  ];
  for (const { name, path, body, status, type } of refused) {
    test(`${name} is ${status} with the API's error body`, async () => {
      const api = await startApi({ maxBodyBytes: 64 });
      const response = await post(api, body, { path });
      expect(response.status).toBe(status);
      expect(await json(response)).toMatchObject({ type: 'error', error: { type } });
    });
  }

  test('requests past the limit are refused and not kept', async () => {
    const api = await startApi({ maxRequests: 2 });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await post(api)).status);
    expect(statuses).toEqual([200, 200, 503]);
    expect(api.requests).toHaveLength(2);
  });

  test('a taken port is an error of the start', async () => {
    const api = await startApi();
    await expect(startApi({ port: api.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('nothing but the loopback interface is bound', async () => {
    const api = await startApi();
    expect(new URL(api.url).hostname).toBe('127.0.0.1');
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of outside) {
      expect(await canConnect(address, api.port)).toBe(false);
    }
  });
});

describe('the log', () => {
  test('a request is kept with path, query, body and kind, its credentials redacted', async () => {
    const api = await startApi({ turns: ['x'] });
    await post(api, MAIN, {
      headers: { 'x-api-key': 'sk-ant-secret', Authorization: 'Bearer secret', 'x-other': 'kept' },
    });
    expect(api.requests).toMatchObject([
      {
        number: 1,
        method: 'POST',
        path: '/v1/messages',
        query: '?beta=true',
        body: MAIN,
        kind: 'main',
        headers: { 'x-api-key': REDACTED, authorization: REDACTED, 'x-other': 'kept' },
      },
    ]);
    expect(JSON.stringify(api.requests)).not.toContain('secret');
  });

  test.each([
    ...[
      'X-Gateway-Token',
      'X-Goog-Api-Key',
      'Ocp-Apim-Subscription-Key',
      'CF-Access-Client-Secret',
      'Proxy-Authorization',
    ],
    ...['X-Auth', 'X-Amz-Security-Token', 'X-JWT-Assertion', 'X-Signature', 'X-Db-Pwd', 'X-My-Password', 'Set-Cookie'],
  ])('a credential in the header %s is not kept', async (name) => {
    const api = await startApi({ turns: ['Hello'] });
    await fetch(`${api.url}/v1/messages?key=hunter2hunter2`, {
      ...{ method: 'POST', headers: { [name]: 'hunter2hunter2', 'X-Note': 'Bearer hunter2hunter2' }, body: '{}' },
    });
    expect(api.requests[0]?.headers[name.toLowerCase()]).toBe(REDACTED);
    expect(JSON.stringify(api.requests)).not.toContain('hunter2');
  });

  test('computed turns see redacted headers too', async () => {
    const api = await startApi({ turns: [(request) => request.headers['x-api-key'] ?? 'none'] });
    const response = await post(api, MAIN, { headers: { 'x-api-key': 'sk-ant-secret' } });
    expect(await json(response)).toMatchObject({ content: [{ text: REDACTED }] });
  });

  test('a listener that throws changes nothing', async () => {
    const onEvent = vi.fn(() => {
      throw new Error('listener');
    });
    const api = await startApi({ turns: ['fine'], onEvent });
    expect(await texts(api, 1)).toEqual(['fine']);
    expect(onEvent).toHaveBeenCalledOnce();
  });
});

/** The texts of several calls, one after the other. */
async function texts(api: Awaited<ReturnType<typeof startApi>>, calls: number, body: object = MAIN): Promise<string[]> {
  const answers: string[] = [];
  for (let call = 0; call < calls; call += 1) {
    const message = await json(await post(api, body));
    answers.push((message.content as { text: string }[]).map(({ text }) => text).join());
  }
  return answers;
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
