import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ConformanceData, type Requirement, requireData } from '../data/conformance-data.js';
import {
  describeNotRun,
  failureText,
  isFailure,
  requireSuite,
  requireSuites,
  type ScenarioResult,
  type ScenarioStatus,
  type SuiteResult,
} from '../runner/results.js';
import type { Baseline } from './baseline.js';
import { type Cause, causesOf, headline } from './causes.js';
import { isMust, type RequirementStatus, requirementStatus } from './requirement-status.js';
import { isAnswered } from './shares.js';

const COLUMNS = ['passed', 'failed', 'unsupported', 'driver_error'] as const;
const MARKS: Readonly<Record<RequirementStatus, string>> = {
  passed: 'pass',
  failed: 'FAIL',
  unsupported: 'n/a',
  untested: '-',
};

/**
 * One driver for a terminal: counts by level, requirements met, what it
 * lacks, then the causes of its failures, the most frequent first.
 * Failures that `baseline` lists are named and not described.
 */
export function driverReport(suite: SuiteResult, data: ConformanceData, baseline?: Baseline): string {
  requireSuite('driverReport', suite);
  requireData('driverReport', data);
  const { hello, results, name, ms, fault, notRun } = suite;
  const isKnown = ({ scenario }: ScenarioResult): boolean => Object.hasOwn(baseline?.expected ?? {}, scenario);
  const known = results.filter((result) => isFailure(result) && isKnown(result));
  const others = results.filter((result) => !isKnown(result));
  const about = hello === undefined ? 'never started' : `${hello.sdk} ${hello.version}, ${hello.language}`;
  const rows = [...data.levels].flatMap(([level, title]) => {
    const own = results.filter((result) => result.level === level);
    return own.length === 0 ? [] : [[`${level}  ${title}`, ...counts(own)]];
  });
  return [
    `${name} (${about})${fault === undefined ? '' : ': could not be used'}: ${scenarios(results.length)} in ${(ms / 1000).toFixed(1)} s`,
    table([['', ...COLUMNS], ...rows, ['all', ...counts(results)]]),
    ...requirementCounts(suite, data),
    ...lacking(results),
    ...(notRun === undefined ? [] : [`  INCOMPLETE: ${describeNotRun(notRun)}`]),
    ...(known.length === 0 ? [] : [`  as the baseline says: ${known.map(({ scenario }) => scenario).join(', ')}`]),
    ...(fault === undefined
      ? causesOf(others).map((cause) => describeCause(cause, data))
      : [`NOT PLAYED  ${indent(fault).trimStart()}`]),
  ].join('\n');
}

/** One failure with its details; of several for one reason the first, and the names of the others. */
function describeCause(cause: Cause, data: ConformanceData): string {
  const [first, ...others] = cause.results;
  const { status, scenario, requirements, kept } = first;
  const word = status === 'failed' ? 'FAILED' : 'DRIVER ERROR';
  const own = `${word}  ${scenario}  (${requirements.join(', ')})`;
  const also = others.map((each) => `${each.scenario} (${each.requirements.join(', ')})`).join(', ');
  return [
    ...(others.length === 0 ? [own] : [`${word}  ${headline(cause)}`, `  the first: ${own.slice(word.length + 2)}`]),
    ...(status === 'failed' ? demands(requirements, data) : []),
    indent(failureText(first)),
    ...(kept === undefined ? [] : [`  kept: ${kept}`, ...howToLook(kept)]),
    ...(others.length === 0 ? [] : [`  also: ${also}`]),
  ].join('\n');
}

/** What the requirements of a scenario say, so that nobody has to look them up. */
function demands(ids: readonly string[], { requirements }: ConformanceData): readonly string[] {
  return requirements.filter(({ id }) => ids.includes(id)).map(({ id, text }) => `  ${id}: ${text}`);
}

/** Where a CLI was started, its log is in the folder. */
function howToLook(kept: string): readonly string[] {
  return existsSync(join(kept, 'log.jsonl')) ? [`  to look at it: claudewire view ${asArgument(kept)}`] : [];
}

/** In quotes where a shell would take the name apart. */
function asArgument(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Requirements down, drivers across; a SHOULD that failed is `should`. Those without a result are left out. */
export function matrix(suites: readonly SuiteResult[], data: ConformanceData): string {
  requireSuites('matrix', suites);
  requireData('matrix', data);
  const rows = hostRequirements(data)
    .map((requirement) => ({ requirement, statuses: suites.map((suite) => requirementStatus(suite, requirement.id)) }))
    .filter(({ statuses }) => statuses.some((status) => status !== 'untested'));
  const met = (name: string, isMeant: (requirement: Requirement) => boolean) => {
    const meant = rows.filter(({ requirement }) => isMeant(requirement));
    const of = (index: number): number => meant.filter(({ statuses }) => statuses[index] === 'passed').length;
    return [`passed ${name}`, ...suites.map((_, index) => `${of(index)}/${meant.length}`), ''];
  };
  return table([
    ['requirement', ...suites.map(({ name }) => name), ''],
    ...rows.map(({ requirement, statuses }) => [
      requirement.id,
      ...statuses.map((status) => (status === 'failed' && !isMust(requirement) ? 'should' : MARKS[status])),
      shorten(requirement.text),
    ]),
    met('MUST', isMust),
    met('SHOULD', (requirement) => !isMust(requirement)),
  ]);
}

function hostRequirements({ requirements }: ConformanceData): readonly Requirement[] {
  return requirements.filter(({ party }) => party === 'host');
}

/** `MUST: 210 passed, 3 failed, 12 unsupported`, and the same of SHOULD. */
function requirementCounts(suite: SuiteResult, data: ConformanceData): readonly string[] {
  return [true, false].map((must) => {
    const statuses = hostRequirements(data)
      .filter((requirement) => isMust(requirement) === must)
      .map(({ id }) => requirementStatus(suite, id));
    const each = (['passed', 'failed', 'unsupported'] as const).map(
      (status) => `${statuses.filter((one) => one === status).length} ${status}`,
    );
    return `  requirements that are a ${must ? 'MUST' : 'SHOULD'}: ${each.join(', ')}`;
  });
}

/** Why scenarios could not be run, the most frequent reason first. */
function lacking(results: readonly ScenarioResult[]): readonly string[] {
  return [
    ...reasons(
      'unsupported for lack of',
      results.filter((result) => !isAnswered(result)),
    ),
    ...reasons('unsupported, as the driver answered', results.filter(isAnswered)),
  ];
}

function reasons(title: string, results: readonly ScenarioResult[]): readonly string[] {
  const wanted = new Map<string, number>();
  for (const what of results.flatMap(({ missing = [] }) => missing)) {
    wanted.set(what, (wanted.get(what) ?? 0) + 1);
  }
  const sorted = [...wanted].sort(([, a], [, b]) => b - a);
  return sorted.length === 0 ? [] : [`  ${title}: ${sorted.map(([what, times]) => `${what} ${times}`).join(', ')}`];
}

function counts(results: readonly { readonly status: ScenarioStatus }[]): readonly string[] {
  return COLUMNS.map((column) => String(results.filter(({ status }) => status === column).length));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}

function scenarios(count: number): string {
  return `${count} scenario${count === 1 ? '' : 's'}`;
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
