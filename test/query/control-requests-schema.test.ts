import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { frameSchema } from '../helpers/frame-schema.js';

const FILE = 'packages/conformance/schemas/frames.schema.json';

const [declarations, ...methods] = ['control-requests.ts', 'query.ts', 'undeclared-methods.ts'].map((name) =>
  readFileSync(new URL(`../../src/query/${name}`, import.meta.url), 'utf8'),
);
const subtypes = new Set([
  ...[...(declarations ?? '').matchAll(/^ {2}([a-z_]+): \{/gm)].map((match) => match[1]),
  ...[...methods.join('\n').matchAll(/(?:equest(?:Result)?|send)\('([a-z_]+)'/g)].map((match) => match[1]),
]);

test('the subtypes are found in the source', () => {
  // One that is in `ControlRequestMap` only, one that only a method sends, and one that is in both.
  expect([...subtypes]).toEqual(expect.arrayContaining(['end_session', 'set_cwd', 'interrupt']));
});

const { $defs } = frameSchema();
const { anyOf: toCli } = $defs.toCli as { readonly anyOf: readonly { readonly $ref: string }[] };

// Compared to `true`, so that the advice is not followed by a diff of half the schema.
test.each([...subtypes])('%s: the schema of frames knows the request', (subtype) => {
  const name = `host.control_request.${subtype}`;
  expect($defs[name], `${FILE}: add the definition ${JSON.stringify(name)}`).toMatchObject({
    properties: { request: { properties: { subtype: { const: subtype } } } },
  });
  const isListed = toCli.some(({ $ref }) => $ref === `#/$defs/${name}`);
  expect(isListed, `${FILE}: list ${JSON.stringify(name)} in "toCli"`).toBe(true);
  const isKnown = JSON.stringify($defs['host.unknown']).includes(JSON.stringify(subtype));
  expect(isKnown, `${FILE}: list ${JSON.stringify(subtype)} in the second "enum" of "host.unknown"`).toBe(true);
});

/** The entries of `ControlRequestMap`, each up to the next one, whose answer has data. */
const answered = [...(declarations ?? '').matchAll(/^ {2}([a-z_]+): \{(?:(?!^ {2}[a-z_]+: |^\})[\s\S])*/gm)]
  .filter(([entry]) => !/output: undefined\b/.test(entry))
  .map(([, subtype]) => `cli.answer.${subtype}`);

test('the schema of frames knows every answer with data', () => {
  expect(answered).toEqual(expect.arrayContaining(['cli.answer.interrupt', 'cli.answer.read_file']));
  expect(answered).not.toContain('cli.answer.set_max_thinking_tokens');
  const missing = answered.filter((name) => $defs[name] === undefined);
  expect(missing, `${FILE}: add these definitions`).toEqual([]);
});
