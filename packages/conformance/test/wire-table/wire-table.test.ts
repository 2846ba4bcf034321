import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { CliShape } from '../../src/drift/cli-shape.js';
import { KindShapes } from '../../src/drift/shapes.js';
import { SDK_SCENARIOS } from '../../src/sdk-table/sdk-scenarios.js';
import { cellText } from '../../src/wire-table/cells.js';
import { framesSchema } from '../../src/wire-table/frames-schema.js';
import { knownDifferences } from '../../src/wire-table/known-differences.js';
import { spanOf, timeline } from '../../src/wire-table/timeline.js';
import { shapeAt, wireTable } from '../../src/wire-table/wire-table.js';

const shape = (version: string, more: Partial<CliShape>): CliShape => ({
  cliVersion: version,
  scenarios: { a: { frames: ['result/success'], exit: 0 } },
  kinds: { 'result/success': { type: 'string' } },
  seenIn: { 'result/success': ['a'] },
  notRecorded: {},
  flags: {},
  defaults: {},
  timings: {},
  ...more,
});

describe('a timeline', () => {
  const values: Readonly<Record<string, string>> = { '1': 'x', '2': 'x', '4': 'x', '5': 'y' };
  const versions = ['1', '2', '3', '4', '5'];

  test('joins equal values, and an absence ends a range', () => {
    const line = timeline(versions, (each) => (each in values ? { value: values[each] } : 'absent'));
    expect(line).toEqual([
      ['1', '2', 'x'],
      ['4', '4', 'x'],
      ['5', '5', 'y'],
    ]);
  });

  test('goes on over a version that nothing is known of', () => {
    const line = timeline(versions, (each) => (each in values ? { value: values[each] } : 'unknown'));
    expect(line).toEqual([
      ['1', '4', 'x'],
      ['5', '5', 'y'],
    ]);
  });

  test.each([
    [[['1', '5', 'x']], 'all'],
    [[['2', '5', 'x']], 'from 2'],
    [[['1', '2', 'x']], 'to 2'],
    [
      [
        ['2', '3', 'x'],
        ['3', '4', 'y'],
      ],
      '2 to 4',
    ],
    [[['3', '3', 'x']], '3 only'],
    [[], 'never'],
  ] as const)('%j is named %s', (line, name) => {
    expect(spanOf(versions, line)).toBe(name);
  });
});

test('what goes into the table comes out of it for each version', () => {
  const shapes = [
    shape('1', {
      flags: { '--x': '<a>' },
      defaults: { 'init.tools': ['A', 'B'], 'init.model': 'm' },
      timings: { t: 1 },
    }),
    shape('2', {
      kinds: { 'result/success': { type: 'string', cost: 'absent|number' }, text: { type: 'string' } },
      seenIn: { 'result/success': ['a'], text: ['a'] },
      scenarios: { a: { frames: ['text', 'result/success'], exit: 'SIGTERM' } },
      defaults: { 'init.tools': ['B', 'C'], 'init.model': 'n' },
    }),
  ];
  const table = wireTable(shapes.map((each) => [each.cliVersion, each]));
  expect(shapeAt(table, '1')).toEqual(shapes[0]);
  expect(shapeAt(table, '2')).toEqual(shapes[1]);
});

test('a field of a scenario that was not recorded with one version does not end there', () => {
  const kinds = { 'result/success': { type: 'string', cost: 'number' } };
  const before = shape('1', { kinds, seenIn: { 'result/success': ['a', 'b'] } });
  const gap = shape('2', { notRecorded: { b: 'too late' } });
  const after = shape('3', { kinds, seenIn: { 'result/success': ['a', 'b'] } });
  const table = wireTable([
    ['1', before],
    ['2', gap],
    ['3', after],
  ]);
  expect(table.frames['result/success']?.fields.cost).toEqual([['1', '3', 'number']]);
  expect(table.notRecorded).toEqual({ '2': { b: 'too late' } });
});

test('the schema of a release takes the frames it was made of, and no others', () => {
  const frames = [
    { type: 'system', subtype: 'init', tools: ['A'], usage: { 'model-1': { n: 1 } }, model: null },
    { type: 'system', subtype: 'init', tools: [], usage: {}, model: 'm', extra: { deep: [{ a: 1 }] } },
    { type: 'control_response', response: { subtype: 'success', request_id: 'r', response: { ok: true } } },
  ];
  const kinds = new KindShapes();
  kinds.add({ provenance: {}, dropped: 0, lines: frames.map((data) => ({ t: 0, proc: 1, dir: 'out', data })) });
  const check = new Ajv2020({ strict: false }).compile(framesSchema('1', kinds.shapes));
  for (const frame of frames) expect(check(frame), JSON.stringify(check.errors)).toBe(true);
  expect(check({ type: 'system', subtype: 'other' })).toBe(false);
  expect(check({ type: 'system', subtype: 'init', tools: ['A'], usage: {}, model: 5 })).toBe(false);
  expect(check({ type: 'system', subtype: 'init', usage: {}, model: 'm' })).toBe(false);
});

test('what is known to differ: requests that get no answer or an error, and scenarios that fail with claudewire', () => {
  const answers = (version: string, kinds: readonly string[], more: Partial<CliShape> = {}) => {
    const names = kinds.map((kind) => [`control_response/${kind}`, { type: 'string' }] as const);
    return shape(version, {
      kinds: Object.fromEntries(names),
      seenIn: Object.fromEntries(names.map(([name]) => [name, [name.endsWith('slow') ? 'b' : 'a']])),
      ...more,
    });
  };
  const table = wireTable([
    ['1', answers('1', ['error/x'], { notRecorded: { b: 'too late' } })],
    ['2', answers('2', ['success/x', 'success/y', 'success/slow'])],
  ]);
  const cells = {
    '1': { ours: { release: '0.1.0', scenarios: { text: 'passed', exit: 'the program saw no error' } } },
  };
  expect(knownDifferences(table, cells)).toEqual([
    ['1', 'no answer to y; refuses x; fails: exit'],
    ['2', ''],
  ]);
});

test('a cell counts what passed and names what did not', () => {
  expect(cellText({ release: '1', scenarios: { a: 'passed', b: 'why' } })).toBe('1/2: not b');
  expect(cellText({ release: '1', scenarios: { a: 'passed' } })).toBe('1/1');
  expect(cellText(undefined)).toBe('not recorded');
});

describe('the judge of a scenario', () => {
  const nothing = { results: [], asked: [], hooks: [], toolCalls: [], sessionIds: [], error: null };
  const around = { isMade: false, requests: [] };
  const done = { ...nothing, results: [{ subtype: 'success', isError: false, text: 'Done.' }] };
  const judge = (name: string, ...args: Parameters<(typeof SDK_SCENARIOS)[number]['judge']>) =>
    SDK_SCENARIOS.find((each) => each.name === name)?.judge(...args);

  test.each(SDK_SCENARIOS.map(({ name }) => name))('%s does not pass when the program saw nothing', (name) => {
    expect(judge(name, nothing, around)).toBeTypeOf('string');
  });

  test('a denied command that ran does not pass', () => {
    expect(judge('deny', { ...done, asked: ['Bash'] }, { ...around, isMade: true })).toBe('the denied command ran');
    expect(judge('deny', { ...done, asked: ['Bash'] }, around)).toBeUndefined();
  });

  test('an error behind the result of an interrupted turn is its account of it', () => {
    const result = { subtype: 'error_during_execution', isError: true, text: null };
    expect(
      judge('interrupt', { ...nothing, results: [result], error: 'ResultError: interrupted' }, around),
    ).toBeUndefined();
    expect(judge('interrupt', { ...nothing, error: 'Error: no answer' }, around)).toBe('Error: no answer');
  });
});
