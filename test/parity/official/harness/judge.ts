import type { ListedDifference } from '../differences.js';
import { inKnownWords } from '../texts.js';
import type { CaseInfo, CaseResult, Seen } from './parity-case.js';
import { firstDifference, show } from './show.js';

export interface Verdict {
  readonly key: string;
  /** Id of the listed difference, when there is one. */
  readonly differs: string | undefined;
  /** None: as it must be. */
  readonly problems: readonly string[];
}

/** A side with one of these broke off: it has not what comes at the end of a case. */
const BROKEN_OFF = ['crashed', 'hung', 'threw'];

/** The fields in which two results are not the same. */
export function differingFields(official: CaseResult, ours: CaseResult): readonly string[] {
  const [left, right] = [official.seen, ours.seen];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names]
    .filter((name) => !isExcused(name, left) && !isExcused(name, right))
    .filter((name) => !isSame(inKnownWords(left[name]), inKnownWords(right[name])))
    .sort();
}

/** There is nothing to compare: the side broke off before it, or no process was there to see it. */
function isExcused(name: string, seen: Seen): boolean {
  return (
    !(name in seen) && !BROKEN_OFF.includes(name) && (BROKEN_OFF.some((end) => end in seen) || seen.processes === 0)
  );
}

/** Errors of ours may say more than the official ones: what those have is what counts. */
function isSame(official: unknown, ours: unknown): boolean {
  if (!isBranch(official) || !isBranch(ours)) return Object.is(official, ours);
  if (Array.isArray(official) !== Array.isArray(ours)) return false;
  const names =
    isErrorData(official) && isErrorData(ours)
      ? Object.keys(official)
      : [...new Set([...Object.keys(official), ...Object.keys(ours)])];
  return names.every(
    (name) => name in official === name in ours && isSame(Reflect.get(official, name), Reflect.get(ours, name)),
  );
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isErrorData(value: object): boolean {
  return 'isError' in value;
}

/** Holds the two results against the row, against each other, and against what is listed about the case. */
export function judge(
  info: CaseInfo,
  official: CaseResult | undefined,
  ours: CaseResult | undefined,
  listed: readonly ListedDifference[],
): Verdict {
  const problems: string[] = [];
  const { key, differs } = info;
  const found = listed.filter(({ cases }) => key in cases);
  const verdict = { key, differs: found.map(({ id }) => id).join(', ') || undefined, problems };
  if (official === undefined || ours === undefined) {
    problems.push(`not run through ${official === undefined ? 'official' : 'ours'}`);
    return verdict;
  }
  if (ours.rowProblem !== undefined) problems.push(`ours is not what the row says: ${ours.rowProblem}`);
  for (const altered of ours.unnoticed) problems.push(`the row would not notice: ${altered}`);
  const fields = differingFields(official, ours);
  if (found.length === 0) {
    if (official.rowProblem !== undefined) {
      problems.push(`official is not what the row says: ${official.rowProblem}`);
    }
    for (const name of fields) problems.push(describe(name, official, ours));
    if (isOurDifference(differs) && !listed.some(({ id }) => id === differs)) {
      problems.push(`the row differs by ${differs}, and no case shows that`);
    }
    return verdict;
  }
  const stated = found.flatMap(({ cases }) => cases[key] ?? []);
  const allowed = stated.map((field) => field.replace('?', ''));
  const expected = stated.filter((field) => !field.endsWith('?'));
  for (const name of fields.filter((field) => !allowed.includes(field))) {
    problems.push(`differs also in ${describe(name, official, ours)}`);
  }
  for (const name of expected.filter((field) => !fields.includes(field))) {
    problems.push(`is listed as different in ${name}, and is the same: ${show(ours.seen[name])}`);
  }
  return verdict;
}

/** Those from D-60 on are about the Python SDK. */
function isOurDifference(id: string | undefined): boolean {
  const number = /^D-(\d+)$/.exec(id ?? '')?.[1];
  return number !== undefined && Number(number) < 60;
}

function describe(name: string, official: CaseResult, ours: CaseResult): string {
  return firstDifference(inKnownWords(official.seen[name]), inKnownWords(ours.seen[name]), name);
}
