import type { ConformanceData } from '../data/data-types.js';
import type { ScenarioStatus } from '../runner/scenario-result.js';
import { isFailure, type SuiteResult } from '../runner/suite-result.js';
import { type RequirementStatus, requirementStatus } from './requirement-status.js';

const COLUMNS = ['passed', 'failed', 'unsupported', 'driver_error'] as const;
const MARKS: Readonly<Record<RequirementStatus, string>> = {
  passed: 'pass',
  failed: 'FAIL',
  unsupported: 'n/a',
  untested: '-',
};

/** One driver for a terminal: counts by level, then each failure with its first difference. */
export function driverReport(suite: SuiteResult, data: ConformanceData): string {
  const { hello, results, name, ms } = suite;
  const about =
    hello === undefined ? 'never started' : `${hello.sdk} ${hello.version}, ${hello.language}`;
  const rows = [...data.levels].flatMap(([level, title]) => {
    const own = results.filter((result) => result.level === level);
    return own.length === 0 ? [] : [[`${level}  ${title}`, ...counts(own)]];
  });
  const failures = results
    .filter(isFailure)
    .map(
      ({ scenario, status, requirements, details, reason, kept }) =>
        `${status === 'failed' ? 'FAILED' : 'DRIVER ERROR'}  ${scenario}  (${requirements.join(', ')})\n` +
        `${indent(details ?? reason ?? '')}${kept === undefined ? '' : `\n  kept: ${kept}`}`,
    );
  return [
    `${name} (${about}): ${results.length} scenarios in ${(ms / 1000).toFixed(1)} s`,
    table([['', ...COLUMNS], ...rows, ['all', ...counts(results)]]),
    ...failures,
  ].join('\n');
}

/** Requirements down, drivers across. Levels without a result are left out. */
export function matrix(suites: readonly SuiteResult[], data: ConformanceData): string {
  const rows = data.requirements
    .filter(({ party }) => party === 'host')
    .map(({ id, text }) => ({
      id,
      text,
      statuses: suites.map((suite) => requirementStatus(suite, id)),
    }))
    .filter(({ statuses }) => statuses.some((status) => status !== 'untested'));
  return table([
    ['requirement', ...suites.map(({ name }) => name), ''],
    ...rows.map(({ id, statuses, text }) => [
      id,
      ...statuses.map((status) => MARKS[status]),
      shorten(text),
    ]),
    [
      'passed',
      ...suites.map(
        (_, index) =>
          `${rows.filter(({ statuses }) => statuses[index] === 'passed').length}/${rows.length}`,
      ),
      '',
    ],
  ]);
}

function counts(results: readonly { readonly status: ScenarioStatus }[]): readonly string[] {
  return COLUMNS.map((column) => String(results.filter(({ status }) => status === column).length));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}

function shorten(text: string): string {
  return text.length <= 90 ? text : `${text.slice(0, 89)}…`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
