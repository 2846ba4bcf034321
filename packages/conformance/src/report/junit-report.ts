import {
  describeNotRun,
  failureText,
  requireSuites,
  type ScenarioResult,
  type SuiteResult,
} from '../runner/results.js';
import { escapeMarkup } from './escape-markup.js';

/**
 * JUnit XML: a suite for each driver, a case for each scenario with the ids of its requirements; `unsupported` is
 * `skipped`, a driver's fault an `error`. A run that was cut short has an error of its own.
 */
export function junitReport(suites: readonly SuiteResult[]): string {
  requireSuites('junitReport', suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`;
}

function suiteXml({ name, results, ms, hello, date, notRun }: SuiteResult): string {
  const count = (status: ScenarioResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const cut = notRun === undefined ? 0 : 1;
  const when = date === undefined ? '' : ` timestamp="${escapeMarkup(date)}"`;
  const versions =
    hello === undefined
      ? ''
      : `    ${properties([
          ['sdk', hello.sdk],
          ['version', hello.version],
          ['language', hello.language],
        ])}\n`;
  return (
    `  <testsuite name="${escapeMarkup(name)}" tests="${results.length + cut}" failures="${count('failed')}" ` +
    `errors="${count('driver_error') + cut}" skipped="${count('unsupported')}" time="${seconds(ms)}"${when}>\n` +
    `${versions}${results.map((result) => caseXml(name, result)).join('')}${incompleteXml(name, notRun)}  </testsuite>\n`
  );
}

function incompleteXml(suite: string, notRun: SuiteResult['notRun']): string {
  if (notRun === undefined) return '';
  const message = escapeMarkup(describeNotRun(notRun));
  return `    <testcase classname="${escapeMarkup(suite)}" name="the run is complete"><error message="${message}"></error></testcase>\n`;
}

function caseXml(suite: string, result: ScenarioResult): string {
  const { scenario, level, requirements, ms } = result;
  const name = `classname="${escapeMarkup(`${suite}.${level ?? 'all'}`)}" name="${escapeMarkup(scenario)}"`;
  const ids = properties(requirements.map((id): [string, string] => ['requirement', id]));
  return `    <testcase ${name} time="${seconds(ms)}">${ids}${outcomeXml(result)}</testcase>\n`;
}

function outcomeXml(result: ScenarioResult): string {
  const { status, reason } = result;
  if (status === 'passed') return '';
  const message = escapeMarkup(reason ?? status);
  if (status === 'unsupported') return `<skipped message="${message}"/>`;
  const tag = status === 'failed' ? 'failure' : 'error';
  return `<${tag} message="${message}">${escapeMarkup(failureText({ ...result, reason: '' }))}</${tag}>`;
}

function properties(list: readonly (readonly [name: string, value: string])[]): string {
  if (list.length === 0) return '';
  const each = list.map(([name, value]) => `<property name="${escapeMarkup(name)}" value="${escapeMarkup(value)}"/>`);
  return `<properties>${each.join('')}</properties>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
