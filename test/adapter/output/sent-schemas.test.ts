import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { buildOutputFormat } from '../../../src/adapter/output/output-format.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { parseValue } from '../../../src/adapter/schema/parse-value.js';
import { thrownBy } from '../support/thrown-by.js';

/** Values of few kinds over few keys, and schemas that often fit them. */
const key = fc.constantFrom('a', 'b', '__proto__');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, 1, 'x', true),
    record(tie('value')),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<object>(
      {},
      { type: 'string', minLength: 1 },
      { type: ['number', 'null'] },
      { type: 'string', enum: ['x'] },
      { const: 1 },
      { $ref: '#/$defs/d' },
      { type: 'array', uniqueItems: true },
      { 'x-own': 1, unevaluatedProperties: true },
    ),
    fc
      .tuple(record(tie('schema')), fc.subarray(['a', 'b']), fc.constantFrom({}, { additionalProperties: false }))
      .map(([properties, required, more]) => ({ type: 'object', properties, required, ...more })),
    tie('schema').map((each) => ({ anyOf: [each, { type: 'null' }] })),
    fc
      .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), several(tie('schema')))
      .map(([name, list]) => ({ [name]: list })),
    fc
      .tuple(several(tie('schema')), fc.constantFrom({}, { items: false }, { items: {} }))
      .map(([prefixItems, more]) => ({ prefixItems, ...more })),
    tie('schema').map((items) => ({ type: 'array', items })),
    tie('schema').map((each) => ({ if: each, else: { type: 'string' } })),
    tie('schema').map((additionalProperties) => ({ additionalProperties })),
  ),
}));

function record<T>(inner: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc
    .array(fc.tuple(key, inner), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries) as Record<string, T>);
}

function several<T>(inner: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(inner, { minLength: 1, maxLength: 3 });
}

const $defs = { d: { type: 'object', properties: { a: { type: 'number' } } } };

test('what is sent never refuses a value that the type takes, and is what the CLI and the API can read', () => {
  const cli = new Ajv({ strictTypes: false, strictTuples: false });
  const api = new Ajv2020({ strict: false, logger: false });
  const seen = { fits: 0, refused: 0 };
  fc.assert(
    fc.property(schema, record(value), (inner, given) => {
      const type = { ...inner, $defs };
      const fits = thrownBy(() => parseValue(type, given, { extra: 'forbid' })) === undefined;
      const refused = thrownBy(() => new Prompt({ ns: 'n', key: 'k', output: type }));
      if (refused !== undefined) {
        expect(refused).toBeInstanceOf(PromptValidationError);
        expect(fits).toBe(false);
        seen.refused += 1;
        return;
      }
      const output = buildOutputFormat(new Prompt({ ns: 'n', key: 'k', output: type }).render());
      const { inputSchema } = new Tool({ name: 't', description: 'd', params: type });
      const items = new Prompt({ ns: 'n', key: 'k', output: type, outputContainer: 'array' });
      const sent = [
        cli.compile(output?.schema ?? false)(given),
        cli.compile(buildOutputFormat(items.render())?.schema ?? false)({ items: [given] }),
        api.compile(output?.schema ?? false)(given),
        api.compile(inputSchema)(given),
      ];
      if (!fits) return;
      seen.fits += 1;
      expect(sent).toEqual([true, true, true, true]);
    }),
    { numRuns: 60 },
  );
  expect(Math.min(seen.fits, seen.refused)).toBeGreaterThan(5);
});
