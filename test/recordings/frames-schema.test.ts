import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.js';
import {
  definitionOf,
  errorsUnder,
  frameErrors,
  frameSchema,
  hasDefinition,
  type Side,
} from '../helpers/frame-schema.js';
import { minimalInstance, type Schema, spoiled } from '../helpers/schema-instances.js';
import { readRecording, recordingNames } from './load.js';
import { inner } from './processes.js';

/** Written on purpose to see what the CLI makes of it, and so outside of the schema: recording, and definition. */
const DELIBERATE: readonly (readonly [recording: string, definition: string])[] = [
  ['bad-user-message', 'host.user'],
  ['can-use-tool-bad-shape', 'host.answer.can_use_tool.undefined'],
  ['can-use-tool-bad-shape', 'host.answer.can_use_tool.maybe'],
  ['hook-bad-shape', 'host.answer.hook_callback'],
  ['initialize-bad', 'host.control_request.initialize'],
  ['odd-frames', 'host.no_such_type'],
  ['odd-frames', 'host.undefined'],
  ['unknown-control-request', 'host.control_request.no_such_subtype'],
  ['unknown-control-request', 'host.control_request.undefined'],
  ['unknown-control-request', 'host.control_request.mcp_status'],
  ['unknown-control-request', 'host.control_request.can_use_tool'],
  ['unknown-control-request', 'host.control_request.set_permission_mode'],
];

interface Checked {
  readonly recording: string;
  readonly definition: string;
  readonly error: string | undefined;
}

/** Every frame of a recording under the definition of its own name, and every answer's payload under its request's. */
function* checkRecording(recording: string): Generator<Checked> {
  const asked = new Map<unknown, unknown>();
  for (const { dir, data } of readRecording(recording)) {
    if (dir !== 'in' && dir !== 'out') continue;
    // Lines that are no frames, written to see what the CLI does.
    if (dir === 'in' && (typeof data !== 'object' || Array.isArray(data))) continue;
    const frame = data as JsonObject;
    const side: Side = dir === 'in' ? 'host' : 'cli';
    yield check(recording, definitionOf(side, frame), frame);
    const request = frame.request as JsonObject | undefined;
    if (request !== undefined) asked.set(frame.request_id, request.subtype);
    const response = frame.response as JsonObject | undefined;
    const subtype = asked.get(response?.request_id);
    const payload = response?.response as JsonObject | undefined;
    if (subtype !== undefined && payload !== undefined) {
      const variant = subtype === 'can_use_tool' ? `.${payload.behavior}` : '';
      yield check(recording, `${side}.answer.${subtype}${variant}`, payload);
    }
  }
}

function check(recording: string, definition: string, value: unknown): Checked {
  const error = hasDefinition(definition) ? errorsUnder(definition, value) : 'no such definition';
  return { recording, definition, error };
}

const all = recordingNames.flatMap((name) => [...checkRecording(name)]);

test('every frame of every recording is valid under the definition of its own name', () => {
  expect(all.length).toBeGreaterThan(3500);
  const failed = all.filter(({ error }) => error !== undefined);
  const keys = failed.map(({ recording, definition }) => [recording, definition]);
  const unexpected = failed.filter(
    ({ recording, definition }) => !DELIBERATE.some(([name, at]) => name === recording && at === definition),
  );
  expect(unexpected).toEqual([]);
  expect(DELIBERATE.filter((one) => !keys.some((key) => key.join() === one.join()))).toEqual([]);
});

test('every line of every recording fits the schema of recordings', () => {
  const file = new URL('../../packages/conformance/schemas/recording.schema.json', import.meta.url);
  const recording = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  const isLine = ajv.compile(recording);
  const isFirst = ajv.compile({ ...recording.$defs.first, $id: 'urn:claudewire:first' });
  const wrong = recordingNames.flatMap((name) =>
    readRecording(name).flatMap((line, index) =>
      isLine(line) && (index > 0 || isFirst(line)) ? [] : [`${name}:${index + 1}`],
    ),
  );
  expect(wrong).toEqual([]);
  expect(isLine({ t: 1, dir: 'sideways', data: {} })).toBe(false);
  expect(isFirst({ t: 0, dir: 'out', data: {} })).toBe(false);
});

test('frames of the future are let through, known ones with a wrong shape are not', () => {
  expect(frameErrors('cli', { type: 'next_year', anything: 1 })).toBeUndefined();
  expect(frameErrors('cli', { type: 'system', subtype: 'next_year' })).toBeUndefined();
  expect(frameErrors('host', { type: 'keep_alive', more: [] })).toBeUndefined();
  expect(frameErrors('cli', { type: 'result', subtype: 'success' })).toMatch(/required property/);
  expect(frameErrors('host', { type: 'user', message: { role: 'assistant' } })).toMatch(/content/);
  expect(frameErrors('host', 5)).toMatch(/object/);
});

describe.each(['cli', 'host'] as const)('the root of %s', (side) => {
  const root = side === 'cli' ? 'fromCli' : 'toCli';

  test('lists every frame definition', () => {
    const listed = (inner(frameSchema().$defs, root).anyOf as { $ref: string }[]).map(({ $ref }) =>
      $ref.split('/').at(-1),
    );
    const defined = Object.keys(frameSchema().$defs).filter(
      (name) => name.startsWith(`${side}.`) && !name.includes('.answer.'),
    );
    expect(listed.sort()).toEqual(defined.sort());
  });

  test('does not let a known frame through as one of the future', () => {
    const names = Object.keys(frameSchema().$defs).filter(
      (name) => name.startsWith(`${side}.`) && !name.includes('.answer.') && !name.endsWith('.unknown'),
    );
    const frames = names.map((name) => ({
      name,
      frame: minimalInstance(frameSchema().$defs[name] as Schema, frameSchema().$defs),
    }));
    const through = frames.filter(({ frame }) => errorsUnder(`${side}.unknown`, frame) === undefined);
    expect(through.map(({ name }) => name)).toEqual([]);
  });
});

const definitions = Object.entries(frameSchema().$defs).filter(
  ([name]) => /^(cli|host)\./.test(name) && !name.endsWith('.unknown'),
);

describe.each(definitions)('%s', (name, definition) => {
  const { $defs } = frameSchema();
  const good = minimalInstance(definition as Schema, $defs);

  test('takes its smallest instance, also with unknown fields', () => {
    expect(errorsUnder(name, good)).toBeUndefined();
    expect(errorsUnder(name, { ...(good as JsonObject), later: { a: 1 } })).toBeUndefined();
  });

  test('refuses it without a required field, and with a field of another type', () => {
    const wrong = [...spoiled(good, definition as Schema, $defs)];
    if (Object.keys(good as JsonObject).length > 0) expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.filter(({ value }) => errorsUnder(name, value) === undefined)).toEqual([]);
  });
});
