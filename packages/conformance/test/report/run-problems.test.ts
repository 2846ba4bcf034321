import { describe, expect, test } from 'vitest';
import type { ScenarioEntry } from '../../src/data/conformance-data.js';
import { runProblems } from '../../src/report/run-problems.js';
import type { ScenarioResult, SuiteResult } from '../../src/runner/results.js';

const result = (scenario: string, status: ScenarioResult['status'], missing?: readonly string[]): ScenarioResult => ({
  ...{ scenario, level: scenario.startsWith('l0') ? 'L0' : 'L1', requirements: [], status, ms: 1 },
  ...(missing === undefined ? {} : { missing }),
});
const entry = (name: string): ScenarioEntry => ({
  ...{ name, file: '', level: 'L0', about: '', requirements: [], features: [] },
});
const problems = (results: readonly ScenarioResult[], more: Partial<SuiteResult> = {}) => {
  const asked = results.map(({ scenario }) => entry(scenario));
  return runProblems(
    { name: 'mine', hello: undefined, results, ms: 1, ...more },
    { required: ['L0'], asked, known: asked },
  );
};

describe('a required level', () => {
  test('is whole when everything of it was judged', () => {
    expect(problems([result('l0-a', 'passed'), result('l1-a', 'unsupported', ['hooks'])])).toEqual([]);
  });

  test('names what cannot be run, and for lack of what', () => {
    const six = [1, 2, 3, 4, 5, 6].map((n) => result(`l0-${n}`, 'unsupported', ['hooks', 'prompt:text']));
    expect(problems([result('l0-a', 'passed'), ...six])).toEqual([
      'L0 is required, and 6 scenarios of it cannot be run: l0-1 (hooks, prompt:text), l0-2 (hooks, prompt:text), ' +
        'l0-3 (hooks, prompt:text), l0-4 (hooks, prompt:text), l0-5 (hooks, prompt:text), and 1 more',
    ]);
  });

  test('does not ask for a way that the SDK does not go, or a limit that it does not have', () => {
    const other = [
      result('l0-b', 'unsupported', ['prompt:text']),
      result('l0-c', 'unsupported', ['option:deadlineMs']),
    ];
    expect(problems([result('l0-a', 'passed'), ...other])).toEqual([]);
  });

  test('is not whole when the driver answers a command with `unsupported`', () => {
    const answered = result('l0-b', 'unsupported', ['no option tools']);
    expect(problems([result('l0-a', 'passed'), answered])).toEqual([
      'L0 is required, and 1 scenario of it cannot be run: l0-b (no option tools)',
    ]);
  });

  test('is not whole when none of it was judged', () => {
    expect(problems([result('l1-a', 'passed')])).toEqual(['L0 is required, and no scenario of it was judged']);
  });
});

test('a run that judged nothing is no success', () => {
  const suite: SuiteResult = {
    name: 'm',
    hello: undefined,
    results: [result('l0-a', 'unsupported', ['query'])],
    ms: 1,
  };
  expect(runProblems(suite, { asked: [entry('l0-a')], known: [entry('l0-a')] })).toEqual([
    "nothing was judged, so nothing is known about the SDK: the driver's hello lacks query",
  ]);
});

test('a run in which the driver only answered `unsupported` says to what, and its text', () => {
  const answered = { ...result('l0-a', 'unsupported', ['nope']), reason: 'start: nope', details: 'start: nope' };
  expect(problems([answered])).toContain(
    'nothing was judged, so nothing is known about the SDK: the driver answered `unsupported` to start: nope',
  );
});

test('a driver that could not be used is one problem', () => {
  const results = [result('l0-a', 'driver_error'), result('l0-b', 'driver_error')];
  expect(problems(results, { fault: 'the driver could not be started: ENOENT\n  its stderr: x' })).toEqual([
    'no scenario was played: the driver could not be started: ENOENT',
  ]);
});
