import { fileURLToPath } from 'node:url';
import type { RecordingLine } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { compareShapes, describeChange } from '../../src/drift/compare-shapes.js';
import { readLiveScenarios } from '../../src/drift/live-scenario.js';
import { KindShapes, runShape, type SuiteShape } from '../../src/drift/shapes.js';

type Line = readonly [RecordingLine['dir'], unknown];
const recording = (...lines: readonly Line[]) => ({
  provenance: {},
  dropped: 0,
  lines: lines.map(([dir, data]) => ({ t: 0, proc: 1, dir, data })),
});
const suite = (...lines: readonly Line[]): SuiteShape => {
  const kinds = new KindShapes();
  kinds.add(recording(...lines));
  return { cliVersion: '1', scenarios: { a: runShape(recording(...lines)) }, kinds: kinds.shapes };
};
const changes = (before: SuiteShape, now: SuiteShape, explained: string[] = []) =>
  compareShapes(before, now, { explained: explained.map((change) => ({ change, reason: 'known' })) }).changes.map(
    describeChange,
  );

const result = (fields: object): Line => ['out', { type: 'result', subtype: 'success', ...fields }] as const;
const exit = (code: number): Line => ['meta', { event: 'exit', code, signal: null }] as const;
const delta = (text: string): Line =>
  [
    'out',
    { type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } } },
  ] as const;

test('a run is its kinds of frames in order and its end; deltas count once, chance does not', () => {
  const shape = runShape(
    recording(
      ['in', { type: 'user' }],
      ['out', { type: 'assistant', message: { content: [{ type: 'text' }, { type: 'tool_use' }] } }],
      delta('a'),
      ['out', { type: 'keep_alive' }],
      delta('b'),
      ['out', 'free text'],
      result({}),
      exit(3),
    ),
  );
  expect(shape).toEqual({
    frames: ['assistant/[text,tool_use]', 'stream_event/content_block_delta/text_delta', 'text', 'result/success'],
    exit: 3,
  });
});

test('fields are gathered over all frames of a kind, without values', () => {
  const { kinds } = suite(
    result({ result: 'a', usage: { 'claude-x-1': { n: 1 } }, list: [{ a: 1 }, { a: null }] }),
    result({ result: null, list: [] }),
  );
  expect(kinds['result/success']).toEqual({
    type: 'string',
    subtype: 'string',
    result: 'null|string',
    usage: 'absent|object',
    'usage.*': 'absent|object',
    'usage.*.n': 'absent|number',
    list: 'list',
    'list[]': 'absent|object',
    'list[].a': 'absent|null|number',
  });
});

describe('a comparison', () => {
  const before = suite(result({ result: 'a', old: { x: 1 } }), exit(0));

  test('of other values finds nothing', () => {
    expect(changes(before, suite(result({ result: 'b', old: { x: 2 } }), exit(0)))).toEqual([]);
  });

  test('names fields that came, went, or changed, and the exit code', () => {
    expect(changes(before, suite(result({ result: 1, young: { y: 1 } }), exit(1)))).toEqual([
      'a: exit 0 is now 1',
      'frame result/success: field old is gone: object',
      'frame result/success: field result: string is now number',
      'frame result/success: field young is new: object',
    ]);
  });

  test('names frames that came and went, where they stand', () => {
    const now = suite(['out', { type: 'x' }], result({ result: 'a', old: { x: 1 } }), exit(0));
    expect(changes(before, now)).toEqual(['a: frame 1, x, is new', 'frame x: is new']);
    expect(changes(now, before)).toEqual(['a: frame 1, x, is gone', 'frame x: is gone']);
  });

  test('leaves out what is explained, and tells of explanations that are not needed', () => {
    const now = suite(result({ result: 'a', old: { x: 1 }, young: 1 }), exit(0));
    expect(changes(before, now, ['frame result/*: field young is new: number'])).toEqual([]);
    const { unused } = compareShapes(before, before, { explained: [{ change: 'a: exit 0 is now 1', reason: 'none' }] });
    expect(unused).toHaveLength(1);
  });

  test('of an unordered run counts frames and leaves their order alone', () => {
    const [x, y]: [Line, Line] = [
      ['out', { type: 'x' }],
      ['out', { type: 'y' }],
    ];
    const compare = (unordered: string[]) => compareShapes(suite(x, y), suite(y, x), { unordered }).changes.length;
    expect([compare([]), compare(['a'])]).toEqual([2, 0]);
  });
});

test('the live scenarios of the data package can be read', () => {
  const folder = fileURLToPath(new URL('../../live/', import.meta.url));
  const scenarios = readLiveScenarios(folder);
  expect(scenarios.length).toBeGreaterThanOrEqual(25);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});
