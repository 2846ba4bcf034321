import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { frameSchema } from '../helpers/frame-schema.js';

const FILE = 'packages/conformance/schemas/frames.schema.json';

const [declarations, methods] = ['control-requests.ts', 'query.ts'].map((name) =>
  readFileSync(new URL(`../../src/query/${name}`, import.meta.url), 'utf8'),
);
const subtypes = new Set([
  ...[...(declarations ?? '').matchAll(/^ {2}([a-z_]+): \{/gm)].map((match) => match[1]),
  ...[...(methods ?? '').matchAll(/equest(?:Result)?\('([a-z_]+)'/g)].map((match) => match[1]),
]);

test('the subtypes are found in the source', () => {
  // One that is in `ControlRequestMap` only, one that only a method sends, and one that is in both.
  expect([...subtypes]).toEqual(expect.arrayContaining(['end_session', 'set_cwd', 'interrupt']));
});

test.each([...subtypes])('%s: the schema of frames knows the request', (subtype) => {
  const { $defs } = frameSchema();
  const name = `host.control_request.${subtype}`;
  expect($defs[name], `${FILE}: add the definition ${JSON.stringify(name)}`).toMatchObject({
    properties: { request: { properties: { subtype: { const: subtype } } } },
  });
  expect($defs.toCli?.anyOf, `${FILE}: list ${JSON.stringify(name)} in "toCli"`).toContainEqual({
    $ref: `#/$defs/${name}`,
  });
  expect(
    JSON.stringify($defs['host.unknown']),
    `${FILE}: list ${JSON.stringify(subtype)} in the second "enum" of "host.unknown"`,
  ).toContain(JSON.stringify(subtype));
});
