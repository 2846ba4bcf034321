import { describe, expect, test } from 'vitest';
import type { CliShape } from '../../src/drift/cli-shape.js';
import { compareClis } from '../../src/drift/compare-clis.js';
import { describeChange } from '../../src/drift/compare-shapes.js';
import { driftMarkdown, driftText } from '../../src/drift/drift-report.js';
import { helpFlags } from '../../src/drift/help-flags.js';
import { compareVersions, parseRelease } from '../../src/drift/install-release.js';
import { readDeclarations } from '../../src/surface/read-declarations.js';

const BASE: CliShape = {
  cliVersion: '2.0.0',
  scenarios: { hello: { frames: ['system/init', 'result/success'], exit: 0 } },
  kinds: {
    'system/init': { type: 'string', model: 'string' },
    'result/success': { type: 'string', cost: 'absent|number' },
  },
  seenIn: { 'system/init': ['hello', 'other'], 'result/success': ['hello', 'other'] },
  flags: { '--model': '<model>' },
  defaults: { 'init.model': 'a', 'init.tools': ['Bash', 'Task'] },
  timings: { 'initialize is answered': 300 },
};
const WHOLE: CliShape = { ...BASE, scenarios: { ...BASE.scenarios, other: { frames: ['result/success'], exit: 0 } } };
const changes = (before: CliShape, now: CliShape) => compareClis(before, now).map(describeChange);

describe('a run that did not finish is never a change (K-6)', () => {
  const unfinished: CliShape = { ...BASE, notRecorded: { other: 'did not come within 20000 ms' } };

  test('on the new side: neither its frames nor its optional fields are gone', () => {
    const now = {
      ...unfinished,
      kinds: { 'system/init': BASE.kinds['system/init'] ?? {}, 'result/success': { type: 'string' } },
    };
    expect(changes(WHOLE, now)).toEqual([]);
    expect(changes(WHOLE, { ...unfinished, kinds: {} })).toEqual([]);
  });

  test('on the old side: what the finished run shows is not new', () => {
    const now = {
      ...WHOLE,
      kinds: { ...WHOLE.kinds, 'system/status': { type: 'string' } },
      seenIn: { ...WHOLE.seenIn, 'system/status': ['other'] },
    };
    expect(changes(unfinished, now)).toEqual([]);
  });

  test('a field that every frame had and none has now is gone all the same', () => {
    const now = { ...unfinished, kinds: { ...BASE.kinds, 'system/init': { type: 'string' } } };
    expect(changes(WHOLE, now)).toEqual(['frame system/init: field model is gone: string']);
  });

  test('the report names it with its reason', () => {
    const drift = { before: '1', now: '2', changes: [], notRecorded: { before: {}, now: { other: 'too late' } } };
    expect(driftText(drift)).toBe('not recorded with 2: other: too late\n2 after 1: 0 changed\n');
    expect(driftMarkdown(drift)).toContain('Nothing changed.');
  });
});

test('flags, defaults and timings are compared; small differences of time are not', () => {
  const now: CliShape = {
    ...BASE,
    flags: { '--model': '<name>', '--effort': '<level>' },
    defaults: { 'init.model': 'b', 'init.tools': ['Bash', 'Agent'] },
    timings: { 'initialize is answered': 900 },
  };
  expect(changes(BASE, now)).toEqual([
    '--effort: is new: <level>',
    '--model: <model> is now <name>',
    'init.model: a is now b',
    'init.tools: new: Agent; gone: Task',
    'initialize is answered: 300 ms is now 900 ms',
  ]);
  expect(changes(BASE, { ...BASE, timings: { 'initialize is answered': 650 } })).toEqual([]);
});

test('what SDKs declare is compared when both were read', () => {
  const surface = (text: string) => readDeclarations([{ name: 'sdk.d.ts', text }]);
  const before: CliShape = { ...BASE, surface: surface('type Options = { a: 1 }') };
  const now: CliShape = { ...BASE, surface: surface('type Options = { a: 2; b: 3 }') };
  expect(changes(before, now)).toEqual(['a: option: 1 is now 2', 'b: option is new: 3']);
  expect(changes(BASE, now)).toEqual([]);
  const many = {
    ...BASE,
    surface: surface(`type Options = { ${['b', 'c', 'd', 'e', 'f', 'g'].join(': 1; ')}: 1; a: 1 }`),
  };
  const page = driftMarkdown({
    before: '1',
    now: '2',
    changes: compareClis(before, many),
    notRecorded: { before: {}, now: {} },
  });
  expect(page).toContain('- `b`, `c`, `d`, `e`, `f`, `g`: option is new: 1');
});

test('frames in another order are an order, not a new frame', () => {
  const now = { ...BASE, scenarios: { hello: { frames: ['result/success', 'system/init'], exit: 0 } } };
  const areas = new Set(compareClis(BASE, now).map(({ area }) => area));
  expect([...areas]).toEqual(['order']);
});

test('in Markdown a frame has its fields by what happened to them', () => {
  const field = (where: string, what: string) =>
    ({ area: 'field', where: `frame ${where}`, what: `field ${what}` }) as const;
  const flag = (where: string, what: string) => ({ area: 'flag', where, what }) as const;
  const page = driftMarkdown({
    before: '1',
    now: '2',
    changes: [
      field('a', 'x is new: list'),
      field('a', 'y is gone: absent|number'),
      field('a', 'z: string is now null|string'),
      field('b', 'x is new: list'),
      flag('--young', 'is new: <name>'),
      flag('--old', 'is gone'),
      flag('--other', '<a> is now <b>'),
    ],
    notRecorded: { before: {}, now: {} },
  });
  expect(page.split('\n').slice(2, -1)).toEqual([
    '### Fields',
    '',
    '- `a`',
    '  - new: `x` (list)',
    '  - gone: `y` (number, not always)',
    '  - changed: `z` (string, now null or string)',
    '- `b`',
    '  - new: `x` (list)',
    '',
    '### Flags and variables',
    '',
    '- new: `--young <name>`',
    '- gone: `--old`',
    '- `--other`: \\<a\\> is now \\<b\\>',
  ]);
});

test('flags are read with what they take, choices and default, whatever the layout', () => {
  const help = [
    'Usage: claude [options]',
    '',
    'Options:',
    '  -c, --continue                   Continue the most recent',
    '                                   conversation',
    '  --allowedTools, --allowed-tools <tools...>',
    '      Tools to allow (e.g. "Bash(git *)")',
    '  --input-format <format>          Input format (choices:',
    '                                   "text", "stream-json")',
    '  -r, --resume [value]             Resume --or not',
    '',
    'Commands:',
    '  mcp --not-a-flag',
  ].join('\n');
  expect(helpFlags(help)).toEqual({
    '--continue': '',
    '--allowedTools': '<tools...>',
    '--allowed-tools': '<tools...>',
    '--input-format': '<format> (choices: "text", "stream-json")',
    '--resume': '[value]',
  });
});

test.each([
  ['2.1.330', { kind: 'cli', version: '2.1.330' }],
  ['0.3.330', { kind: 'ts', version: '0.3.330' }],
  ['py@0.2.187', { kind: 'py', version: '0.2.187' }],
])('the release %s is understood', (text, expected) => {
  expect(parseRelease(text)).toEqual(expected);
});

test('what is no release is refused with what would be one', () => {
  expect(() => parseRelease('latest')).toThrow('expected a version, such as 2.1.330');
});

test('versions are compared as numbers', () => {
  expect(['2.1.9', '2.1.112', '2.0.36'].sort(compareVersions)).toEqual(['2.0.36', '2.1.9', '2.1.112']);
});
