import { readFileSync } from 'node:fs';
import { type ConformanceData, ConformanceDataError, requireData } from '../data/conformance-data.js';
import { isFailure, requireSuite, type SuiteResult } from '../runner/results.js';
import { invalidArgument, isPath } from '../util/arguments.js';
import { isJsonObject, parseJsonObject } from '../util/json.js';

/** Failures that are known, with the reason for each. */
export interface Baseline {
  /** Name of the driver it is about. */
  readonly driver: string;
  /** Scenario to reason. */
  readonly expected: Readonly<Record<string, string>>;
  /** What it was made with. Another version may fail otherwise. */
  readonly madeWith?: MadeWith | undefined;
}

/** Versions that results depend on. */
export interface MadeWith {
  /** Package under test. */
  readonly sdk: string;
  readonly sdkVersion: string;
  /** Of the data of the suite. */
  readonly data: string;
  /** Claude Code that the data was made with. */
  readonly cli?: string | undefined;
}

/** The versions of a run; `undefined` when its driver never said hello. */
export function madeWith(suite: SuiteResult, data: ConformanceData): MadeWith | undefined {
  requireSuite('madeWith', suite);
  requireData('madeWith', data);
  const { hello } = suite;
  const { version, cliVersion } = data;
  if (hello === undefined) return undefined;
  return {
    sdk: hello.sdk,
    sdkVersion: hello.version,
    data: version,
    ...(cliVersion === undefined ? {} : { cli: cliVersion }),
  };
}

/** Where a run has other versions than its baseline was made with, a sentence each. No failure. */
export function baselineNotes(
  suite: SuiteResult,
  baseline: Baseline | undefined,
  data: ConformanceData,
): readonly string[] {
  requireSuite('baselineNotes', suite);
  requireData('baselineNotes', data);
  const now = madeWith(suite, data);
  if (baseline === undefined || now === undefined) return [];
  const { madeWith: then } = baseline;
  if (then === undefined) return ['the baseline does not say which versions it was made with: add "madeWith"'];
  const versions: readonly [string, string | undefined, string | undefined][] = [
    ['SDK', `${then.sdk} ${then.sdkVersion}`, `${now.sdk} ${now.sdkVersion}`],
    ['data', then.data, now.data],
    ['CLI version', then.cli, now.cli],
  ];
  return versions
    .filter(([, before, after]) => before !== after)
    .map(
      ([what, before, after]) =>
        `the baseline was made with ${what} ${before ?? 'unknown'}, this run has ${after ?? 'unknown'}`,
    );
}

/** @throws ConformanceDataError the file cannot be read, or is no baseline. */
export function readBaseline(file: string): Baseline {
  if (!isPath(file)) {
    const cure = 'Pass one such as "baseline.json".';
    throw invalidArgument('file', 'readBaseline() takes the path of a file', file, cure);
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConformanceDataError(`baseline ${file} cannot be read: ${(error as Error).message}`);
  }
  const value = parseJsonObject(text);
  const expected = value?.expected;
  if (typeof value?.driver !== 'string' || !isJsonObject(expected)) {
    throw new ConformanceDataError(`baseline ${file}: expected {"driver": "name", "expected": {"scenario": "reason"}}`);
  }
  for (const [scenario, reason] of Object.entries(expected)) {
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new ConformanceDataError(`baseline ${file}: ${scenario} needs a reason`);
    }
  }
  const made = readMadeWith(value.madeWith, file);
  return {
    driver: value.driver,
    expected: expected as Record<string, string>,
    ...(made === undefined ? {} : { madeWith: made }),
  };
}

function readMadeWith(value: unknown, file: string): MadeWith | undefined {
  if (value === undefined) return undefined;
  const { sdk, sdkVersion, data, cli } = isJsonObject(value) ? value : {};
  const isCli = cli === undefined || typeof cli === 'string';
  if (typeof sdk === 'string' && typeof sdkVersion === 'string' && typeof data === 'string' && isCli) {
    return { sdk, sdkVersion, data, ...(cli === undefined ? {} : { cli }) };
  }
  const shape = '{"sdk": "package", "sdkVersion": "1.2.3", "data": "1.0.0", "cli": "2.1.330"}';
  throw new ConformanceDataError(`baseline ${file}: expected "madeWith" to be ${shape}`);
}

/**
 * Where the results are not what the baseline says: a failure it does not list; one it lists that passes; one that was
 * not run although it was asked for.
 *
 * @param asked - Names of the scenarios that the run was for.
 * @param known - Names of all scenarios; a baseline must not speak of others.
 */
export function baselineProblems(
  suite: SuiteResult,
  baseline: Baseline | undefined,
  asked: readonly string[],
  known: readonly string[],
): readonly string[] {
  requireSuite('baselineProblems', suite);
  for (const [name, list] of Object.entries({ asked, known })) {
    if (Array.isArray(list)) continue;
    const cure = 'Pass the names of scenarios.';
    throw invalidArgument(name, `baselineProblems() takes an array as \`${name}\``, list, cure);
  }
  const { results } = suite;
  const expected = baseline?.expected ?? {};
  const byName = new Map(results.map((result) => [result.scenario, result]));
  return [
    ...results
      .filter((result) => isFailure(result) && !Object.hasOwn(expected, result.scenario))
      .map(({ scenario, reason = '' }) => `${scenario}: ${reason}`),
    ...Object.keys(expected).flatMap((scenario) => {
      if (!known.includes(scenario)) return [`${scenario}: in the baseline, and no scenario`];
      if (!asked.includes(scenario)) return [];
      const result = byName.get(scenario);
      if (result === undefined) return [`${scenario}: in the baseline, and was not run`];
      return isFailure(result) ? [] : [`${scenario}: in the baseline, and is ${result.status} now. Take it out`];
    }),
  ];
}
