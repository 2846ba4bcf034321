/** A request that cannot be used is told what is wrong with it, and what would be right. */
import { expect, test } from 'vitest';
import { HostError } from '../../src/errors.js';
import { createHandler, type HandlerOptions } from '../../src/http/handler.js';
import { openApi } from '../../src/http/openapi.js';
import { described } from '../helpers/described.js';
import { cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';

const ID = '11111111-1111-4111-8111-111111111111';

async function callerOf(options: Partial<HandlerOptions> = {}) {
  const host = hostOn(cliFor(NONE));
  const { id } = await newKey(host);
  const handler = described(createHandler({ host, authenticate: () => 'ada', ...options }));
  return async (method: string, path: string, body?: unknown) => {
    const request = new Request(`http://localhost${path.replace(':id', id)}`, {
      ...{ method, headers: { 'content-type': 'application/json' } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await answered(handler(request));
  };
}

async function answered(answer: Promise<Response>) {
  const response = await answer;
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (isStream) await response.body?.cancel();
  const body = isStream || response.status === 204 ? {} : await response.json();
  return { status: response.status, headers: response.headers, detail: (body as { detail?: string }).detail };
}

const APPROVAL = `/conversations/:id/approvals/${ID}`;
const QUESTION = `/conversations/:id/questions/${ID}`;
const MESSAGES = '/conversations/:id/messages';

test.each<[string, unknown, string]>([
  [QUESTION, { behavior: 'perhaps' }, '`behavior` must be `allow` or `deny`.'],
  [QUESTION, { behavior: 7 }, '`behavior` must be `allow` or `deny`.'],
  [APPROVAL, { token: 't', behavior: 'Allow' }, '`behavior` must be `allow` or `deny`.'],
  [QUESTION, {}, 'The body must have `behavior`.'],
  [QUESTION, [], 'The body must be an object.'],
  [QUESTION, null, 'The body must be an object.'],
  [
    QUESTION,
    { behavior: 'allow', message: 'x' },
    'A body with `behavior` `allow` takes `behavior`, `updatedInput`, and no `message`.',
  ],
  [
    APPROVAL,
    { token: 't', behavior: 'deny', updatedInput: {} },
    'A body with `behavior` `deny` takes `token`, `behavior`, `message`, and no `updatedInput`.',
  ],
  [APPROVAL, { behavior: 'allow' }, 'The body with `behavior` `allow` must have `token`.'],
  [APPROVAL, { token: 7, behavior: 'allow' }, '`token` must be a string.'],
  [QUESTION, { behavior: 'allow', updatedInput: [] }, '`updatedInput` must be an object.'],
  [QUESTION, { behavior: 'deny', message: 'x'.repeat(2_001) }, '`message` may have 2000 characters.'],
  ['/conversations', { titel: 'x' }, 'A body takes `title`, and no `titel`.'],
  ['/conversations', { ['x'.repeat(999)]: 1 }, `A body takes \`title\`, and no \`${'x'.repeat(60)}\`.`],
  ['/conversations', { title: '' }, '`title` must not be blank.'],
  ['/conversations', { title: ' \n\u2028' }, '`title` must not be blank.'],
  ['/conversations', { title: 'x'.repeat(201) }, '`title` may have 200 characters.'],
  [MESSAGES, { text: '   ' }, '`text` must not be blank.'],
  [MESSAGES, { text: 'Hi', behavior: 'allow' }, 'A body takes `text`, and no `behavior`.'],
  [MESSAGES, { text: 'x'.repeat(200_001) }, 'A message must be a text of 1 to 200000 characters that is not blank.'],
])('POST %s with %j: %s', async (path, body, detail) => {
  const call = await callerOf();
  expect(await call('POST', path, body)).toMatchObject({ status: 400, detail });
});

test.each<[string, string]>([
  ['/conversations?limit=0', '`limit` must be a whole number from 1 to 500.'],
  ['/conversations?limit=501', '`limit` must be a whole number from 1 to 500.'],
  ['/conversations?limit=ten', '`limit` must be a whole number from 1 to 500.'],
  ['/conversations?limt=5', 'There is no query parameter `limt`. This path takes `limit`, `after`.'],
  ['/conversations?limit=5&limit=6', '`limit` is in the query twice.'],
  ['/conversations/:id/events?afer=3', 'There is no query parameter `afer`. This path takes `after`, `deltas`.'],
  ['/conversations/:id/events?after=-1', '`after` must be a whole number, 0 or more.'],
  ['/conversations/:id/events?deltas=no', '`deltas` must be `all` or `live`.'],
  ['/conversations/:id?x', 'There is no query parameter `x`. This path takes none.'],
  ['/conversations/:id?__proto__=1', 'There is no query parameter `__proto__`. This path takes none.'],
  ['/conversations/:id/transcript?limit=0', '`limit` must be a whole number from 1 to 1000.'],
  ['/conversations/:id/transcript?limit=1001', '`limit` must be a whole number from 1 to 1000.'],
  ['/conversations/:id/transcript?fromEnd=true', '`fromEnd` must be a whole number, 0 or more.'],
  ['/conversations/:id/transcript?fromEnd=0&offset=0', 'Send `offset` or `fromEnd`, and not both.'],
])('GET %s: %s', async (path, detail) => {
  const call = await callerOf();
  expect(await call('GET', path)).toMatchObject({ status: 400, detail });
});

test.each(['/conversations?limit=500', '/conversations/:id/transcript?limit=1000&fromEnd=0', '/conversations?'])(
  'GET %s is answered',
  async (path) => expect((await (await callerOf())('GET', path)).status).toBe(200),
);

test('a query parameter that `authenticate` reads is let through by its name', async () => {
  const authenticate = (request: Request) => new URL(request.url).searchParams.get('access_token') ?? undefined;
  const call = await callerOf({ authenticate, allowedQuery: ['access_token'] });
  expect((await call('GET', '/conversations/:id/events?access_token=ada&after=0')).status).toBe(200);
  const { detail } = await call('GET', '/conversations?access_token=ada&acces=1');
  expect(detail).toBe('There is no query parameter `acces`. This path takes `limit`, `after`.');
});

test.each([
  ['nobody', { authenticate: () => undefined }, /^This server does not know who you are\. Sign in where .*, or send/],
  ['elsewhere', { authenticate: undefined as never }, /only programs on this machine, .* Call it from there/],
])('a 401 for %s says what to do, and has a challenge', async (_, options, detail) => {
  const call = await callerOf(options);
  const response = await call('GET', '/conversations');
  expect(response).toMatchObject({ status: 401, detail: expect.stringMatching(detail) });
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
});

test('a challenge of your own is sent instead, also with the page', async () => {
  const host = hostOn(cliFor(NONE));
  const options = { host, page: true, challenge: 'Basic realm="x"', authenticate: () => undefined };
  const handler = described(createHandler(options));
  for (const path of ['/', '/conversations']) {
    const response = await handler(new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } }));
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="x"');
  }
  for (const challenge of ['', 'Basic\nx: y', 7]) {
    const make = () => createHandler({ host, challenge: challenge as string });
    expect(make).toThrow('`challenge` must be a challenge of `WWW-Authenticate`, such as `Bearer`');
  }
});

test('the description has the bounds and the defaults that the routes have', () => {
  const { paths } = openApi() as { paths: Record<string, { get: { parameters: { name: string; schema: object }[] } }> };
  const schemaOf = (path: string, name: string) =>
    paths[path]?.get.parameters.find((each) => each.name === name)?.schema;
  expect(schemaOf('/conversations', 'limit')).toEqual({ type: 'integer', minimum: 1, maximum: 500, default: 100 });
  expect(schemaOf('/conversations/{id}/transcript', 'limit')).toEqual({
    ...{ type: 'integer', minimum: 1, maximum: 1_000, default: 200 },
  });
  expect(schemaOf('/conversations/{id}/events', 'after')).toEqual({ type: 'integer', minimum: 0, default: 0 });
});

test('a client is not told of limits that only the operator can raise', async () => {
  const host = hostOn(cliFor(NONE));
  const advice = { forClients: 'The server is busy. Try again in 5 s.', retryAfterMs: 5_000 };
  host.create = () => Promise.reject(new HostError('busy', 'Raise `limits.processes`.', advice));
  const response = await createHandler({ host, authenticate: () => 'ada' })(
    new Request('http://localhost/conversations', {
      ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
    }),
  );
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await response.json()).toMatchObject({ code: 'busy', detail: advice.forClients });
});
