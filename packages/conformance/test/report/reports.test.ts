import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ConformanceData } from '../../src/data/conformance-data.js';
import { coverageProblems } from '../../src/data/load-data.js';
import { baselineProblems, readBaseline } from '../../src/report/baseline.js';
import { jsonReport } from '../../src/report/json-report.js';
import { escapeMarkup, htmlReport, junitReport } from '../../src/report/markup-reports.js';
import { requirementStatus } from '../../src/report/requirement-status.js';
import { driverReport, matrix } from '../../src/report/text-report.js';
import type { ScenarioResult, SuiteResult } from '../../src/runner/results.js';
import { selectScenarios } from '../../src/runner/run-suite.js';

const entry = (name: string, requirements: readonly string[]) => ({
  name,
  file: `/data/${name}.jsonl`,
  level: 'L1' as const,
  about: '',
  requirements,
  features: [],
});
const requirement = (id: string, party: 'host' | 'cli' = 'host') => ({
  id,
  level: 'L1' as const,
  party,
  text: `${id} ${id === 'L1-02' ? 'SHOULD' : 'MUST'} <b>`,
  source: [],
});
const data: ConformanceData = {
  dir: '/data',
  version: '1.0.0',
  requirements: [requirement('L1-01'), requirement('L1-02'), requirement('L1-90', 'cli')],
  levels: new Map([['L1', 'One-shot']]),
  scenarios: [entry('l1-a', ['L1-01']), entry('l1-b', ['L1-01', 'L1-02']), entry('l1-c', ['L1-02'])],
  driverSchema: {},
};

const result = (scenario: string, status: ScenarioResult['status'], more = {}): ScenarioResult => ({
  scenario,
  level: 'L1',
  requirements: data.scenarios.find(({ name }) => name === scenario)?.requirements ?? [],
  status,
  ms: 12,
  ...more,
});
const suite = (results: readonly ScenarioResult[]): SuiteResult => ({
  name: 'mine',
  hello: {
    ...{ event: 'hello', protocol: 1, driver: 'mine', sdk: 'my-sdk' },
    ...{ version: '3', language: 'js', features: [] },
  },
  results,
  ms: 1234,
});
const mixed = suite([
  result('l1-a', 'passed'),
  result('l1-b', 'failed', { reason: 'x < y', details: 'x < y\n  got: "z"' }),
  result('l1-c', 'unsupported', { reason: 'needs abort', missing: ['abort'] }),
]);

describe('reports', () => {
  test('a terminal gets counts by level and each failure with its details', () => {
    expect(driverReport(mixed, data)).toBe(
      [
        'mine (my-sdk 3, js): 3 scenarios in 1.2 s',
        '                passed  failed  unsupported  driver_error',
        '  L1  One-shot  1       1       1            0',
        '  all           1       1       1            0',
        '  requirements that are a MUST: 0 passed, 1 failed, 0 unsupported',
        '  requirements that are a SHOULD: 0 passed, 1 failed, 0 unsupported',
        '  unsupported for lack of: abort 1',
        'FAILED  l1-b  (L1-01, L1-02)',
        '  x < y',
        '    got: "z"',
      ].join('\n'),
    );
  });

  test('the matrix has requirements of hosts down and drivers across', () => {
    const good = { ...suite([result('l1-c', 'passed')]), name: 'other' };
    expect(matrix([mixed, good], data).split('\n')).toEqual([
      '  requirement    mine    other',
      '  L1-01          FAIL    -      L1-01 MUST <b>',
      '  L1-02          should  pass   L1-02 SHOULD <b>',
      '  passed MUST    0/1     0/1',
      '  passed SHOULD  0/1     1/1',
    ]);
  });

  test('one failure is enough for a requirement, and a driver’s fault is one', () => {
    const of = (...statuses: ScenarioResult['status'][]) =>
      requirementStatus(suite(statuses.map((status) => result('l1-a', status))), 'L1-01');
    expect(of('passed', 'failed')).toBe('failed');
    expect(of('passed', 'driver_error')).toBe('failed');
    expect(of('passed', 'unsupported')).toBe('passed');
    expect(of('unsupported')).toBe('unsupported');
    expect(of()).toBe('untested');
  });

  test('JUnit counts failures, errors and skipped, and its texts are escaped', () => {
    const xml = junitReport([mixed, suite([result('l1-a', 'driver_error', { reason: '"' })])]);
    expect(xml).toContain('<testsuite name="mine" tests="3" failures="1" errors="0" skipped="1" time="1.234">');
    expect(xml).toContain('<testcase classname="mine.L1" name="l1-a" time="0.012"/>');
    expect(xml).toContain('<failure message="x &lt; y">x &lt; y\n  got: &quot;z&quot;</failure>');
    expect(xml).toContain('<skipped message="needs abort"/>');
    expect(xml).toContain('<error message="&quot;"></error>');
  });

  test('JSON has every result and the status of every requirement', () => {
    expect(JSON.parse(jsonReport([mixed], data))).toMatchObject({
      format: 1,
      data: { version: '1.0.0' },
      drivers: [
        {
          name: 'mine',
          sdk: 'my-sdk',
          requirements: { 'L1-01': 'failed', 'L1-02': 'failed' },
          scenarios: [{ scenario: 'l1-a', status: 'passed' }, {}, { reason: 'needs abort' }],
        },
      ],
    });
  });

  test('the page is one file, and what an SDK said cannot become markup', () => {
    const bad = suite([result('l1-b', 'failed', { details: '<script>alert(1)</script>' })]);
    const html = htmlReport([bad], data);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).not.toMatch(/<script|<link|src=|href=|url\(/);
    expect(html).toContain('<td class="failed">failed');
  });

  test('characters that XML cannot hold are replaced, pairs of surrogates are not', () => {
    expect(escapeMarkup('a\u0000\u001b[31m\ud800 \n\t😀&"')).toBe('a\ufffd\ufffd[31m\ufffd \n\t😀&amp;&quot;');
  });
});

describe('a baseline', () => {
  const known = data.scenarios.map(({ name }) => name);
  const problems = (expected: Record<string, string>, asked = known, of = mixed) =>
    baselineProblems(of, { driver: 'mine', expected }, asked, known);

  test.for<[name: string, expected: Record<string, string>, problems: readonly string[]]>([
    ['a failure that is not listed', {}, ['l1-b: x < y']],
    ['a failure that is listed', { 'l1-b': 'known' }, []],
    [
      'a listed one that passes',
      { 'l1-a': 'known', 'l1-b': 'known' },
      ['l1-a: in the baseline, and is passed now. Take it out'],
    ],
    [
      'a listed one that is unsupported',
      { 'l1-b': 'known', 'l1-c': 'known' },
      ['l1-c: in the baseline, and is unsupported now. Take it out'],
    ],
    [
      'a listed one that does not exist',
      { 'l1-b': 'known', 'l1-x': 'known' },
      ['l1-x: in the baseline, and no scenario'],
    ],
  ])('%s', ([, expected, said]) => {
    expect(problems(expected)).toEqual(said);
  });

  test('a listed one that was not run fails, unless nobody asked for it', () => {
    const part = suite([result('l1-a', 'passed')]);
    expect(problems({ 'l1-b': 'known' }, known, part)).toEqual(['l1-b: in the baseline, and was not run']);
    expect(problems({ 'l1-b': 'known' }, ['l1-a'], part)).toEqual([]);
  });

  test.for<[text: string, said: RegExp]>([
    ['[]', /expected \{"driver": "name"/],
    ['{"driver":"x"}', /expected \{"driver": "name"/],
    ['{"driver":"x","expected":{"l1-a":""}}', /l1-a needs a reason/],
  ])('%s is none', ([text, said]) => {
    const dir = mkdtempSync(join(tmpdir(), 'claudewire-baseline-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'b.json');
    writeFileSync(file, text);
    expect(() => readBaseline(file)).toThrow(said);
  });

  test('a file that is not there is none', () => {
    expect(() => readBaseline('/does/not/exist')).toThrow(/cannot be read/);
  });
});

test('scenarios are selected by a part of the name, a level, or a requirement', () => {
  const names = (filters: readonly string[], levels: readonly string[] = []) =>
    selectScenarios(data.scenarios, { filters, levels }).map(({ name }) => name);
  expect(names([])).toEqual(['l1-a', 'l1-b', 'l1-c']);
  expect(names(['-b', 'l1-c'])).toEqual(['l1-b', 'l1-c']);
  expect(names(['L1-02'])).toEqual(['l1-b', 'l1-c']);
  expect(names(['L1'])).toEqual(['l1-a', 'l1-b', 'l1-c']);
  expect(names([], ['L2'])).toEqual([]);
});

test('requirements and scenarios must know each other', () => {
  expect(coverageProblems(data)).toEqual([]);
  expect(
    coverageProblems({
      ...data,
      requirements: [...data.requirements, requirement('L1-03'), requirement('L1-01')],
      scenarios: [...data.scenarios, entry('l1-a', ['L9-99'])],
    }),
  ).toEqual([
    'requirement L1-01 is there twice',
    'scenario l1-a is there twice',
    'l1-a names L9-99, which is no requirement',
    'no scenario shows L1-03',
  ]);
});
