import type { Level } from 'claudewire/testing';
import type { ScenarioEntry } from '../data/conformance-data.js';
import { describeNotRun, requireSuite, type ScenarioResult, type SuiteResult } from '../runner/results.js';
import { requireObject } from '../util/arguments.js';
import { type Baseline, baselineProblems } from './baseline.js';
import { asksForChoice, isAnswered } from './shares.js';

const MAX_NAMED = 5;

export interface Expectations {
  /** Known failures of this driver. */
  readonly baseline?: Baseline | undefined;
  /** Levels in which nothing may be `unsupported`. */
  readonly required?: readonly Level[];
  /** The scenarios that the run was for. */
  readonly asked: readonly ScenarioEntry[];
  /** All scenarios of the data. */
  readonly known: readonly ScenarioEntry[];
}

/**
 * Everything for which a run is not a success, a sentence each: what its baseline does not list, what a required level
 * lacks, that nothing was judged. A driver that could not be used is one problem, not one for each scenario.
 */
export function runProblems(suite: SuiteResult, expectations: Expectations): readonly string[] {
  requireSuite('runProblems', suite);
  const cure = 'Pass one such as `{ asked: scenarios, known: data.scenarios }`.';
  const lists = { asked: 'list', known: 'list' } as const;
  requireObject('expectations', 'runProblems() takes an object', expectations, cure, lists);
  const { baseline, required = [], asked, known } = expectations;
  if (suite.fault !== undefined) {
    return [`no scenario was played: ${suite.fault.split('\n', 1).join()}`];
  }
  const names = (list: readonly ScenarioEntry[]): readonly string[] => list.map(({ name }) => name);
  return [
    ...baselineProblems(suite, baseline, names(asked), names(known)),
    ...required.flatMap((level) => levelProblems(level, suite)),
    ...nothingJudged(suite),
    ...leftOut(suite, asked),
  ];
}

function levelProblems(level: Level, { results }: SuiteResult): readonly string[] {
  const own = results.filter((result) => result.level === level);
  const lacking = own.filter((result) => result.status === 'unsupported' && !asksForChoice(result));
  if (lacking.length > 0) {
    const named = lacking
      .slice(0, MAX_NAMED)
      .map(({ scenario, missing = [] }) => `${scenario} (${missing.join(', ')})`);
    const more = lacking.length > named.length ? `, and ${lacking.length - named.length} more` : '';
    return [
      `${level} is required, and ${plural(lacking.length, 'scenario')} of it cannot be run: ${named.join(', ')}${more}`,
    ];
  }
  return own.some(isJudged) ? [] : [`${level} is required, and no scenario of it was judged`];
}

function nothingJudged({ results }: SuiteResult): readonly string[] {
  if (results.some(isJudged)) return [];
  const answered = results.find(isAnswered);
  const lacking = results.filter((result) => !isAnswered(result));
  const wanted = [...new Set(lacking.flatMap(({ missing = [] }) => missing))].slice(0, MAX_NAMED);
  const why = [
    ...(wanted.length === 0 ? [] : [`the driver's hello lacks ${wanted.join(', ')}`]),
    ...(answered === undefined ? [] : [`the driver answered \`unsupported\` to ${answered.reason}`]),
  ];
  return [`nothing was judged, so nothing is known about the SDK${why.length === 0 ? '' : `: ${why.join('; ')}`}`];
}

/** What was cut short on purpose (`bail`) was not asked for. */
function leftOut({ results, notRun }: SuiteResult, asked: readonly ScenarioEntry[]): readonly string[] {
  if (notRun === undefined || asked.length <= results.length) return [];
  return [describeNotRun(notRun)];
}

function isJudged({ status }: ScenarioResult): boolean {
  return status !== 'unsupported';
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
