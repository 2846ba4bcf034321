import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

const folder = new URL('../../deviations/', import.meta.url);
const read = (file: string | URL): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const schema = read(new URL('../../schemas/deviations.schema.json', import.meta.url)) as object;
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const validate = ajv.compile(schema);
// An error of the part that is meant says more than one of either.
const part = (name: 'level' | 'outcomes') =>
  ajv.compile({ $ref: `urn:claudewire:conformance:deviations:1#/$defs/${name}` });

test.each(readdirSync(folder).filter((file) => file.endsWith('.json')))('%s fits the schema', (file) => {
  const check = part(file === 'outcomes.json' ? 'outcomes' : 'level');
  check(read(file));
  expect(check.errors).toBeNull();
  expect(validate(read(file))).toBe(true);
});

const claim = { name: 'a', ids: ['L0-01'], does: 'b', before: 'MUST', after: 'MUST' };
const level = (deviation: object) => ({
  level: 'L0',
  groups: [{ group: 'g', about: 'a', deviations: [{ ...claim, ...deviation }] }],
});
const outcomes = (outcome: object) => ({ cli: '1', date: '2026-01-01', census: {}, outcomes: { a: outcome } });

test('a sound file of each kind fits', () => {
  expect(validate(level({ limitMs: 5 }))).toBe(true);
  expect(validate(outcomes({ outcome: 'hang', saw: ['- end: exit 0'] }))).toBe(true);
});

test.each([
  ['a misspelt field', level({ limitMS: 5 })],
  ['a level that is none', level({ after: 'must' })],
  ['an id that is none', level({ ids: ['X-1'] })],
  ['a step that does two things', level({ script: [{ end: true, sleepMs: 1 }] })],
  ['an answer with an unknown field', level({ answers: { initialize: { sucess: {} } } })],
  ['an outcome that is none', outcomes({ outcome: 'fine', saw: [] })],
  ['a fact without a sign', outcomes({ outcome: 'hang', saw: ['end: exit 0'] })],
  ['a count below 0', { ...outcomes({ outcome: 'hang', saw: [] }), census: { lines: -1 } }],
])('%s does not', (_, value) => {
  expect(validate(value)).toBe(false);
});
