import { describe, expect, test } from 'vitest';
import { outcomeOf, query, ResultError } from '../../src/index.js';
import { isJsonObject } from '../../src/util/json.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect, results, resultTexts } from './support/collect.js';
import { firstTurn, recordedShape, shapeOf } from './support/recorded.js';
import { expectVersion, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const TWO_RETRIES = { CLAUDE_CODE_MAX_RETRIES: '2' };
const OVERLOADED = { error: { status: 529, message: 'Overloaded' } };

describe.each(BOTH)('results, CLI $version', (cli) => {
  test('a resumed session knows what was said before, under the same id', async () => {
    const stage = await setStage(cli, { turns: ['Your name is Ada.', 'Ada.'] });
    const first = await collect(query({ prompt: 'My name is Ada.', options: stage.options() }));
    expectVersion(stage, first.messages);
    const id = results(first.messages)[0]?.session_id ?? '';
    const second = await collect(query({ prompt: 'What is my name?', options: stage.options({ resume: id }) }));
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    expect(resultTexts(second.messages)).toEqual(['Ada.']);
    const history = JSON.stringify(bodyOf(stage.api.requests.at(-1)?.body).messages);
    expect(history).toContain('My name is Ada.');
    expect(stage.mainCalls()).toHaveLength(2);
    if (cli !== CURRENT) return;
    // Releases of the first months gave a resumed session a new id.
    expect(results(second.messages)[0]?.session_id).toBe(id);
    expect(shapeOf([...first.messages, ...second.messages])).toEqual(recordedShape('resume'));
  });

  test('a run stops at maxTurns', async () => {
    const stage = await setStage(cli, { turns: [bash('echo one'), 'Never reached.'] });
    const { messages, error } = await collect(
      query({ prompt: 'Go.', options: stage.options({ maxTurns: 1, allowedTools: ['Bash'] }) }),
    );
    expectVersion(stage, messages);
    expect(results(messages).map((result) => result.subtype)).toEqual(['error_max_turns']);
    expect(outcomeOf(messages, error).kind).toBe('max_turns');
    expect(stage.mainCalls()).toHaveLength(1);
    if (cli === CURRENT) expect(shapeOf(messages)).toEqual(firstTurn(recordedShape('max-turns')));
  });
});

describe(`results, CLI ${CURRENT.version}`, () => {
  test('structured output comes as an object that fits the schema', async () => {
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', { name: 'Ada', age: 36 })] });
    const { messages, error } = await collect(
      query({ prompt: 'Who?', options: stage.options({ outputFormat: { type: 'json_schema', schema: PERSON } }) }),
    );
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(results(messages)[0]).toMatchObject({ structured_output: { name: 'Ada', age: 36 } });
    expect(outcomeOf(messages).kind).toBe('completed');
    expect(stage.mainCalls()).toHaveLength(1);
    expect(shapeOf(messages)).toEqual(recordedShape('structured-output'));
  });

  test('a schema that the CLI would not take is written so that it does', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { name: { type: 'string', pattern: '^[\\w-.]+$' }, pair: { prefixItems: [{ type: 'string' }] } },
    };
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', { name: 'A-b', pair: ['x'] })] });
    const { messages, error } = await collect(
      query({ prompt: 'Who?', options: stage.options({ outputFormat: { type: 'json_schema', schema } }) }),
    );
    expect(error).toBeUndefined();
    expect(results(messages)[0]).toMatchObject({ structured_output: { name: 'A-b', pair: ['x'] } });
  });

  const TEXT = { type: 'string', minLength: 1 };
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'references into what is left out (A-1)',
      {
        properties: {
          a: { $ref: '#/components/schemas/A' },
          b: { items: [TEXT] },
          c: { $ref: '#/properties/b/items/0' },
        },
        components: { schemas: { A: TEXT } },
      },
      { a: 'x', b: ['y'], c: 'z' },
    ],
    ['an empty tuple (A-1)', { properties: { a: { type: 'array', prefixItems: [], items: false } } }, { a: [] }],
    [
      'numbers that are none, doubled lists and odd shapes (A-1)',
      {
        properties: { a: { type: 'string', minLength: -1, maxLength: 9.5, examples: { x: 1 } }, b: { multipleOf: 0 } },
        required: ['a', 'a'],
      },
      { a: 'x', b: 1 },
    ],
    [
      'an empty `enum`, and `nullable: false` (A-1)',
      { properties: { a: { enum: [] }, b: { type: ['string', 'null'], nullable: false } } },
      { b: null },
    ],
  ])('%s do not end the CLI', async (_, given, value) => {
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', value)] });
    const schema = { type: 'object', ...given };
    const { messages, error } = await collect(
      query({ prompt: 'Who?', options: stage.options({ outputFormat: { type: 'json_schema', schema } }) }),
    );
    expect(error).toBeUndefined();
    expect(results(messages)[0]).toMatchObject({ structured_output: value });
  });

  test('an overloaded API is asked again until it answers', async () => {
    const stage = await setStage(CURRENT, { turns: [{ ...OVERLOADED, times: 2 }, 'Recovered.'] });
    const { messages, error } = await collect(query({ prompt: 'Go.', options: stage.options({}, TWO_RETRIES) }));
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(resultTexts(messages)).toEqual(['Recovered.']);
    expect(outcomeOf(messages).kind).toBe('completed');
    expect(stage.api.requests.map((request) => request.status)).toEqual([529, 529, 200]);
    expect(shapeOf(messages)).toEqual(recordedShape('api-529-retry-then-ok'));
  });

  test('an API that stays overloaded ends the run with an outcome that says so', async () => {
    const stage = await setStage(CURRENT, { turns: [{ ...OVERLOADED, times: Infinity }] });
    const { messages, error } = await collect(query({ prompt: 'Go.', options: stage.options({}, TWO_RETRIES) }));
    expectVersion(stage, messages);
    expect(error).toBeInstanceOf(ResultError);
    expect(outcomeOf(messages, error)).toMatchObject({ kind: 'overloaded', retryable: true });
    expect(stage.api.requests.map((request) => request.status)).toEqual([529, 529, 529]);
    expect(shapeOf(messages)).toEqual(recordedShape('api-529-exhausted'));
  });
});

function bodyOf(body: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(body) ? body : {};
}
