import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OutputParseError, PromptEvaluationError } from '../../../src/adapter/errors/evaluation-errors.js';
import type { Log } from '../../../src/adapter/logging/log.js';
import { extractOutput, parseOutput, requireSomething } from '../../../src/adapter/output/parse-output.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { thrownBy } from '../support/thrown-by.js';

const Item = z.object({ a: z.number() });
const one = new Prompt({ ns: 'n', key: 'k', output: Item }).render();
const many = new Prompt({ ns: 'n', key: 'k', output: Item, outputContainer: 'array' }).render();
const none = new Prompt({ ns: 'n', key: 'k' }).render();

const logged: unknown[] = [];
const write = (event: string, context: unknown): void => void logged.push([event, context]);
const log: Log = { debug: write, info: write, warn: write, error: write };
const throwing = { promptName: 'n:k', mode: 'throw', log } as const;

describe('where the output comes from', () => {
  test.each([0, false, '', [], {}])('%j of the result is a value', (value) => {
    const found = extractOutput({ rendered: one, result: { structured_output: value }, hookOutput: { value: 'hook' } });
    expect(found).toEqual({ value });
  });

  test('the hook’s where the result has none', () => {
    for (const result of [{}, { structured_output: null }, { structured_output: undefined }]) {
      expect(extractOutput({ rendered: one, result, hookOutput: { value: 0 } })).toEqual({ value: 0 });
      expect(extractOutput({ rendered: one, result, hookOutput: undefined })).toBeUndefined();
    }
  });

  test('nowhere, when the prompt declares none', () => {
    const sources = { rendered: none, result: { structured_output: 1 }, hookOutput: { value: 1 } };
    expect(extractOutput(sources)).toBeUndefined();
  });
});

describe('what becomes of it', () => {
  test('nothing of nothing', async () => {
    expect(await parseOutput(one, undefined, throwing)).toBeNull();
    expect(await parseOutput(none, { value: 1 }, throwing)).toBeNull();
  });

  test('unknown keys go, unless the prompt keeps them', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const keeping = new Prompt({ ns: 'n', key: 'k', output: schema, allowExtraKeys: true }).render();
    const value = { a: 1, b: 2 };
    expect(await parseOutput(one, { value }, throwing)).toEqual({ a: 1 });
    expect(await parseOutput(keeping, { value }, throwing)).toEqual(value);
  });

  test('an array is taken out of its object, or as it is', async () => {
    for (const value of [{ items: [{ a: 1, x: 2 }] }, [{ a: 1 }]]) {
      expect(await parseOutput(many, { value }, throwing)).toEqual([{ a: 1 }]);
    }
    expect(await parseOutput(many, { value: { items: [] } }, throwing)).toEqual([]);
  });

  test.each([
    { rendered: one, value: { a: 'x' }, paths: ['a'] },
    { rendered: one, value: null, paths: [''] },
    { rendered: many, value: { items: [{ a: 1 }, { a: 'x' }, 5] }, paths: ['items[1].a', 'items[2]'] },
    { rendered: many, value: { list: [] }, paths: ['items'] },
    { rendered: many, value: 'x', paths: ['items'] },
  ])('$value does not fit: an error with the raw value and the places', async ({ rendered, value, paths }) => {
    const error = await parseOutput<unknown>(rendered, { value }, throwing).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OutputParseError);
    const { phase, rawOutput, issues, promptName, retryAdvice } = error as OutputParseError;
    expect({ phase, rawOutput, promptName, retry: retryAdvice.retry }).toEqual({
      phase: 'response',
      rawOutput: value,
      promptName: 'n:k',
      retry: 'unsafe',
    });
    expect(issues.map(({ path }) => path)).toEqual(paths);
  });

  test('or a record in the log, and no output', async () => {
    logged.length = 0;
    expect(await parseOutput(one, { value: { a: 'x' } }, { ...throwing, mode: 'warn' })).toBeNull();
    expect(logged).toEqual([
      ['parse.structured_output_error', { promptName: 'n:k', error: expect.stringContaining('a: ') }],
    ]);
  });
});

describe('neither text nor output', () => {
  const came = {
    rendered: one,
    text: null,
    output: undefined,
    promptName: 'n:k',
    messageCounts: { result: 1 },
    stderrTail: ['last words'],
  };

  test('is an error with the counts and the last lines', () => {
    for (const text of [null, '']) {
      const error = thrownBy(() => requireSomething({ ...came, text }));
      expect(error).toBeInstanceOf(PromptEvaluationError);
      expect(error).toMatchObject({
        phase: 'response',
        message: expect.stringContaining('1 result'),
        providerPayload: { messageCounts: { result: 1 }, stderr: 'last words' },
      });
    }
  });

  test('is fine where no output is declared, and so is either', () => {
    for (const fine of [{ rendered: none }, { text: 'text' }, { output: { value: 0 } }]) {
      expect(() => requireSomething({ ...came, ...fine }), Object.keys(fine)[0]).not.toThrow();
    }
  });
});
