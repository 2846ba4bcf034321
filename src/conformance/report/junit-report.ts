import type { ScenarioResult } from '../runner/scenario-result.js';
import type { SuiteResult } from '../runner/suite-result.js';
import { requireSuites } from '../runner/suite-result.js';
import { escapeMarkup } from './escape-markup.js';

/** JUnit XML: a suite for each driver, a case for each scenario; `unsupported` is `skipped`, a driver's fault an `error`. */
export function junitReport(suites: readonly SuiteResult[]): string {
  requireSuites('junitReport', suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`;
}

function suiteXml({ name, results, ms }: SuiteResult): string {
  const count = (status: ScenarioResult['status']): number =>
    results.filter((result) => result.status === status).length;
  return (
    `  <testsuite name="${escapeMarkup(name)}" tests="${results.length}" failures="${count('failed')}" ` +
    `errors="${count('driver_error')}" skipped="${count('unsupported')}" time="${seconds(ms)}">\n` +
    `${results.map((result) => caseXml(name, result)).join('')}  </testsuite>\n`
  );
}

function caseXml(
  suite: string,
  { scenario, level, status, ms, reason, details }: ScenarioResult,
): string {
  const head = `    <testcase classname="${escapeMarkup(`${suite}.${level ?? 'all'}`)}" name="${escapeMarkup(scenario)}" time="${seconds(ms)}"`;
  if (status === 'passed') return `${head}/>\n`;
  const message = escapeMarkup(reason ?? status);
  if (status === 'unsupported') return `${head}><skipped message="${message}"/></testcase>\n`;
  const tag = status === 'failed' ? 'failure' : 'error';
  return `${head}><${tag} message="${message}">${escapeMarkup(details ?? '')}</${tag}></testcase>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
