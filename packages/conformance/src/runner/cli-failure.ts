import { basename } from 'node:path';
import { describeVerdict, type Verdict } from 'claudewire/testing';
import { isJsonObject } from '../util/json.js';
import { isSameKind, nearestTo } from './nearest.js';
import { compact, describeDifference, ScenarioFailure } from './results.js';

/** What the player of the CLI lane says about a process that did not go as the scenario says. */
export interface CliFailure {
  readonly failure: ScenarioFailure;
  /** The SDK wrote a frame of the right kind with other content, or one that nobody expects. */
  readonly isDifference: boolean;
  /** The process was ended, or its input was: what the SDK reports to its user may say why. */
  readonly isEnding: boolean;
  /** The frames that it still waited for, when it has nothing else to say. */
  readonly waitedFor: readonly unknown[];
}

const NEAREST = / \(nearest: .*\)$/s;

/** The player shows the last frame of the type; the nearest one that no step took says more. */
export function cliFailure(verdict: Verdict, file: string | undefined): CliFailure {
  const { failure, end, unclaimed } = verdict;
  const text = describeVerdict(verdict);
  // Without the folder of the scenario: a report goes to other machines.
  const [first = '', ...rest] = (file === undefined ? text : text.replaceAll(file, basename(file))).split('\n');
  const patterns = framesOf(failure?.expected);
  const found = patterns
    .map((pattern) => ({ pattern, nearest: nearestTo(pattern, unclaimed) }))
    .find(({ pattern, nearest }) => nearest !== undefined && isSameKind(pattern, nearest.value));
  const isDifference = found !== undefined || end === 'mismatch';
  const isEnding = end === 'signal' || end === 'running' || failure?.inputEnded === true;
  const details = rest.map((line) => line.trimStart());
  if (found?.nearest === undefined)
    return { failure: new ScenarioFailure(first, details), isDifference, isEnding, waitedFor: patterns };
  const { value, difference } = found.nearest;
  return {
    failure: new ScenarioFailure(`${first.replace(NEAREST, '')} (nearest: ${describeDifference(difference)})`, [
      `nearest: ${compact(value)}`,
      ...details,
    ]),
    isDifference,
    isEnding,
    waitedFor: patterns,
  };
}

/** The frames that a step waits for: patterns as they are, or in the step that was not played. */
function framesOf(expected: unknown): readonly unknown[] {
  if (Array.isArray(expected)) return expected;
  if (!isJsonObject(expected)) return [];
  if ('in' in expected) return [expected.in];
  if (Array.isArray(expected.inAny))
    return expected.inAny.map((each: unknown) => (isJsonObject(each) ? each.in : each));
  return typeof expected.type === 'string' ? [expected] : [];
}

/**
 * The first cause of two failures. A wrong frame comes before all that follows from it, an error that the SDK reports
 * before the end of the process it left. The other side follows in the details.
 */
export function firstCause(
  driver: ScenarioFailure,
  cli: CliFailure | undefined,
  hasReportedError: boolean,
): ScenarioFailure {
  if (cli === undefined) return driver;
  if (cli.isDifference && !(cli.isEnding && hasReportedError)) {
    return joined(cli.failure, `and what it gave to its user: ${driver.message}`, driver.lines);
  }
  if (cli.isDifference) return joined(driver, `and what it sent to the CLI: ${cli.failure.message}`, cli.failure.lines);
  const [place = ''] = /^\S+:\d+(?=: )/.exec(cli.failure.message) ?? [];
  const waits = cli.waitedFor.map((frame) => compact(frame)).join(' and ');
  return waits === '' ? driver : joined(driver, `the CLI still waited at ${place} for: ${waits}`);
}

function joined(first: ScenarioFailure, other: string, lines: readonly string[] = []): ScenarioFailure {
  return new ScenarioFailure(first.message, [...first.lines, other, ...lines.map((each) => `  ${each}`)]);
}
