import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ConformanceData } from '../../src/data/conformance-data.js';
import { coverageProblems } from '../../src/data/load-data.js';
import type { DriverHello } from '../../src/driver/driver-protocol.js';
import { baselineNotes, baselineProblems, readBaseline } from '../../src/report/baseline.js';
import { causesOf } from '../../src/report/causes.js';
import { escapeMarkup } from '../../src/report/escape-markup.js';
import { htmlReport } from '../../src/report/html-report.js';
import { jsonReport } from '../../src/report/json-report.js';
import { junitReport } from '../../src/report/junit-report.js';
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
  test('what the driver wrote to stderr is shown, and tells causes with one symptom apart', () => {
    const failed = (scenario: string, stderr: string) =>
      result(scenario, 'failed', { reason: 'no end of input in time', stderr });
    const three = suite([
      failed('l1-a', 'KeyError: <x>'),
      failed('l1-b', 'A\nKeyError: <x>'),
      failed('l1-c', '\u001b[31mValueError\0'),
    ]);
    const report = driverReport(three, data);
    expect(report).toContain('  what the driver wrote to stderr:\n    KeyError: <x>');
    expect(report).toContain('2 scenarios fail for one reason');
    expect(report).toContain('\ufffd[31mValueError\ufffd');
    expect(junitReport([three])).toContain('what the driver wrote to stderr:\n  KeyError: &lt;x&gt;');
  });

  test('what a driver lacks and what it answered are told apart', () => {
    const answered = { missing: ['no such option'], reason: 'query: no such option', details: 'query: no such option' };
    const report = driverReport(
      suite([result('l1-a', 'unsupported', { missing: ['abort'] }), result('l1-b', 'unsupported', answered)]),
      data,
    );
    expect(report).toContain(
      '  unsupported for lack of: abort 1\n  unsupported, as the driver answered: no such option 1',
    );
  });

  test('a terminal gets counts by level and each failure with what is demanded and its details', () => {
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
        '  L1-01: L1-01 MUST <b>',
        '  L1-02: L1-02 SHOULD <b>',
        '  x < y',
        '    got: "z"',
      ].join('\n'),
    );
  });

  test('a failure that the baseline lists is named, and a new one described', () => {
    const results = [result('l1-a', 'failed', { reason: 'new' }), result('l1-b', 'failed', { reason: 'old' })];
    const lines = driverReport(suite(results), data, { driver: 'mine', expected: { 'l1-b': 'old', 'l1-c': 'gone' } });
    expect(lines.split('\n').slice(-4)).toEqual([
      '  as the baseline says: l1-b',
      'FAILED  l1-a  (L1-01)',
      '  L1-01: L1-01 MUST <b>',
      '  new',
    ]);
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
    expect(xml).toContain(
      '<testcase classname="mine.L1" name="l1-a" time="0.012">' +
        '<properties><property name="requirement" value="L1-01"/></properties></testcase>',
    );
    expect(xml).toContain('<property name="version" value="3"/>');
    expect(xml).toContain('<failure message="x &lt; y">x &lt; y\n  got: &quot;z&quot;</failure>');
    expect(xml).toContain('<skipped message="needs abort"/>');
    expect(xml).toContain('<error message="&quot;"></error>');
  });

  test('a failure whose folder has a log names the command that opens it, in quotes where a shell needs them', () => {
    const folder = mkdtempSync(join(tmpdir(), "claudewire it's "));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const report = (): string => driverReport(suite([result('l1-b', 'failed', { kept: folder })]), data);
    expect(report()).not.toContain('claudewire view');
    writeFileSync(join(folder, 'log.jsonl'), '');
    expect(report()).toContain(`  to look at it: claudewire view '${folder.replace("'", "'\\''")}'`);
    expect(driverReport(mixed, data)).not.toContain('claudewire view');
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
    expect(html).not.toMatch(/<link|<img|src=|href="[^#]|url\(| style=| on\w+=/);
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  test('the page runs its own style and script alone, and nothing that it is given', () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e';
    const hello: DriverHello = {
      event: 'hello',
      protocol: 1,
      driver: evil,
      features: [evil],
      sdk: evil,
      version: evil,
      language: evil,
    };
    const bad: SuiteResult = {
      ...{ name: evil, hello, ms: 1, fault: evil, date: evil, notRun: { scenarios: 1, reason: evil } },
      results: [result('l1-b', 'failed', { reason: evil, details: evil, kept: evil, missing: [evil] })],
    };
    for (const html of [htmlReport([bad], data), htmlReport([bad, { ...bad, name: `2${evil}` }], data)]) {
      expect(html).not.toContain('<script>alert');
      expect(html).not.toContain('<img');
      expect(html).not.toContain('\u202e');
      const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
      const hashOf = (tag: string) => {
        const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html) ?? [];
        return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
      };
      expect(policy).toBe(
        `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; base-uri 'none'; form-action 'none'`,
      );
    }
  });

  test('the page begins with shares by level and the first cause of each, for one SDK and for several', () => {
    const other = { ...suite([result('l1-a', 'passed')]), name: 'other' };
    const one = htmlReport([{ ...mixed, date: '2026-01-02T03:04:05.000Z' }], { ...data, cliVersion: '2.1.330' });
    expect(one).toContain('<h1>Conformance of my-sdk 3</h1>');
    expect(one).toContain('2026-01-02 03:04 UTC · data 1.0.0 · Claude Code 2.1.330');
    expect(one).toMatch(/L1 <span class="dim">One-shot<[^\n]*<b>33 %<[^\n]*href="#s0-c0">x &lt; y</);
    const two = htmlReport([mixed, other], data);
    expect(two).toMatch(/href="#s0">mine<[^\n]*data-l="L1"><b>33 %<[^\n]*1 failed<[^\n]*href="#s0-c0">x &lt; y</);
    expect(two).toMatch(/href="#s1">other<[^\n]*data-l="L1"><b>100 %</);
    const ids = [...two.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    for (const [, link] of two.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(link);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('from a failure there is a way to its requirement, its scenario and its recording', () => {
    const scenarios = data.scenarios.map((each) => ({ ...each, recording: 'hello' }));
    const html = htmlReport([mixed], { ...data, scenarios });
    expect(html).toContain('<a href="#r-L1-01">L1-01</a>');
    expect(html).toContain('<tr id="r-L1-01"');
    expect(html).toContain('scenarios/L1/l1-b.jsonl');
    expect(html).toContain('test/fixtures/recordings/hello.ndjson');
  });

  test('what was cut short says so in every report', () => {
    const cut = { ...mixed, notRun: { scenarios: 4, reason: 'the run was stopped' } };
    expect(driverReport(cut, data)).toContain('  INCOMPLETE: 4 scenarios were not run: the run was stopped');
    expect(junitReport([cut])).toContain('<error message="4 scenarios were not run: the run was stopped">');
    expect(htmlReport([cut], data)).toContain('<b>Incomplete.</b> 4 scenarios were not run: the run was stopped.');
    expect(JSON.parse(jsonReport([cut], data))).toMatchObject({
      complete: false,
      drivers: [{ notRun: { scenarios: 4 } }],
    });
    expect(JSON.parse(jsonReport([mixed], data))).toMatchObject({ complete: true });
  });

  test('the JSON report is what its schema says', () => {
    const schema = JSON.parse(readFileSync(new URL('../../schemas/results.schema.json', import.meta.url), 'utf8'));
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    const fault = { ...suite([result('l1-a', 'driver_error', { reason: 'x' })]), hello: undefined, fault: 'x' };
    const cut = { ...mixed, date: '2026-01-02T03:04:05.000Z', notRun: { scenarios: 1, reason: 'x' } };
    validate(JSON.parse(jsonReport([mixed, fault, cut], { ...data, cliVersion: '2.1.330' })));
    expect(validate.errors).toBeNull();
  });

  test('failures for one reason are one cause, the most frequent first', () => {
    const failed = (scenario: string, reason: string) => result(scenario, 'failed', { reason, details: reason });
    const results = [
      failed('l1-a', 'l1-a.jsonl:3: "finish" failed'),
      failed('l1-b', 'l1-b.jsonl:9: the command "a" (call setModel) was not answered within 11000 ms'),
      failed('l1-c', 'l1-c.jsonl:12: the command "x" (call setModel) was not answered within 6000 ms'),
    ];
    expect(causesOf(results).map(({ text, results: { length } }) => [length, text])).toEqual([
      [2, 'call setModel was not answered in time'],
      [1, '"finish" failed'],
    ]);
    expect(driverReport(suite(results), data).split('\n').slice(6)).toEqual([
      'FAILED  2 scenarios fail for one reason: call setModel was not answered in time',
      '  the first: l1-b  (L1-01, L1-02)',
      '  L1-01: L1-01 MUST <b>',
      '  L1-02: L1-02 SHOULD <b>',
      '  l1-b.jsonl:9: the command "a" (call setModel) was not answered within 11000 ms',
      '  also: l1-c (L1-02)',
      'FAILED  l1-a  (L1-01)',
      '  L1-01: L1-01 MUST <b>',
      '  l1-a.jsonl:3: "finish" failed',
    ]);
  });

  test('a driver that could not be used says why, once', () => {
    const failed = ['l1-a', 'l1-b'].map((name) => result(name, 'driver_error', { reason: 'the driver x' }));
    const text = driverReport({ ...suite(failed), hello: undefined, fault: 'the driver x\n  its stderr: y' }, data);
    expect(text).toContain('NOT PLAYED  the driver x\n    its stderr: y');
    expect(text.match(/the driver x/g)).toHaveLength(1);
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
    ['{"driver":"x","expected":{},"madeWith":{"sdk":"s"}}', /expected "madeWith" to be \{"sdk"/],
  ])('%s is none', ([text, said]) => {
    const dir = mkdtempSync(join(tmpdir(), 'claudewire-baseline-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'b.json');
    writeFileSync(file, text);
    expect(() => readBaseline(file)).toThrow(said);
  });

  test('that was made with other versions says so', () => {
    const made = { sdk: 'my-sdk', sdkVersion: '2', data: '1.0.0', cli: '2.1.330' };
    const notes = (madeWith?: typeof made) =>
      baselineNotes(
        mixed,
        { driver: 'mine', expected: {}, ...(madeWith === undefined ? {} : { madeWith }) },
        { ...data, cliVersion: '2.1.331' },
      );
    expect(notes(made)).toEqual([
      'the baseline was made with SDK my-sdk 2, this run has my-sdk 3',
      'the baseline was made with CLI version 2.1.330, this run has 2.1.331',
    ]);
    expect(notes({ ...made, sdkVersion: '3', cli: '2.1.331' })).toEqual([]);
    expect(notes()).toEqual(['the baseline does not say which versions it was made with: add "madeWith"']);
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
