import { describe, expect, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { ROUTES } from '../../src/http/routes.js';
import { cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';

/** A body that each route takes. */
const BODIES: Readonly<Record<string, object>> = {
  createConversation: {},
  sendMessage: { text: 'Hi' },
  answerQuestion: { behavior: 'allow' },
  decideApproval: { behavior: 'allow', token: 'x' },
};

interface Attack {
  readonly name: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the body. */
  readonly body?: string;
  readonly only?: (route: (typeof ROUTES)[number]) => boolean;
  /** Of the conversation. */
  readonly id?: string;
}

const hasBody = ({ body }: (typeof ROUTES)[number]): boolean => body !== undefined;
const hasId = ({ path }: (typeof ROUTES)[number]): boolean => path.includes(':id');

const ATTACKS: readonly Attack[] = [
  { name: 'nobody', status: 401, headers: { 'x-user': '' } },
  { name: 'another tenant', status: 404, headers: { 'x-user': 'bob' }, only: hasId },
  {
    name: 'another tenant after an event',
    status: 404,
    headers: { 'x-user': 'bob', 'last-event-id': '1' },
    only: hasId,
  },
  { name: 'a foreign origin', status: 403, headers: { origin: 'https://evil.example' } },
  { name: 'an opaque origin', status: 403, headers: { origin: 'null' } },
  { name: 'the same name on another port', status: 403, headers: { origin: 'http://localhost:9' } },
  { name: 'a cross-site request', status: 403, headers: { 'sec-fetch-site': 'cross-site' } },
  { name: 'a rebound name', status: 403, headers: { host: 'evil.example' } },
  { name: 'a form', status: 415, headers: { 'content-type': 'text/plain' }, only: hasBody },
  { name: 'a giant body', status: 413, body: JSON.stringify({ text: 'x'.repeat(5_000) }), only: hasBody },
  { name: 'a body that is not JSON', status: 400, body: '{', only: hasBody },
  { name: 'a body with more fields', status: 400, body: '{"tenant":"bob","role":"assistant"}', only: hasBody },
  { name: 'a list for a body', status: 400, body: '[]', only: hasBody },
  { name: 'a prototype for a body', status: 400, body: '{"__proto__":{"text":"x"}}', only: hasBody },
  { name: 'a path for an id', status: 404, id: '..%2f..%2fada', only: hasId },
  { name: 'a long id', status: 404, id: 'a'.repeat(5_000), only: hasId },
];

describe.each(ROUTES.map((route) => ({ route, name: route.operation })))('$name', ({ route, name }) => {
  test.each(ATTACKS.filter(({ only }) => only?.(route) ?? true))('refuses $name', async (attack) => {
    const host = hostOn(cliFor(NONE));
    const heard: unknown[] = [];
    const handler = createHandler({
      ...{ host, maxBodyBytes: 4_000, onError: (error) => heard.push(error) },
      authenticate: (request) => request.headers.get('x-user') ?? undefined,
    });
    const { id } = await newKey(host);
    const path = route.path.replace(':id', attack.id ?? id).replace(/:\w+/, '11111111-1111-4111-8111-111111111111');
    const body = attack.body ?? (hasBody(route) ? JSON.stringify(BODIES[name]) : undefined);
    const response = await handler(
      new Request(`http://localhost:8080${path}`, {
        ...{ method: route.method, ...(body === undefined ? {} : { body }) },
        headers: { 'x-user': 'ada', 'content-type': 'application/json', ...attack.headers },
      }),
    );
    expect([response.status, response.headers.get('content-type')]).toEqual([
      attack.status,
      'application/problem+json',
    ]);
    expect([...response.headers.keys()].filter((header) => header.startsWith('access-control'))).toEqual([]);
    // What is refused is no failure of the server.
    expect(heard).toEqual([]);
    // Nothing has happened, and nobody else hears whether the conversation exists.
    expect(await host.list({ tenant: 'ada' })).toMatchObject({ conversations: [{ id, state: 'cold' }] });
    expect(await host.list({ tenant: 'bob' })).toEqual({ conversations: [] });
    expect(host.metrics()).toMatchObject({ viewers: 0, processes: 0 });
  });
});
