import { isFailure, type ScenarioResult } from '../runner/results.js';

/** Failures that have one reason. */
export interface Cause {
  /** The reason, without places, ids and times. */
  readonly text: string;
  readonly status: ScenarioResult['status'];
  /** In the order of the run. */
  readonly results: readonly [ScenarioResult, ...ScenarioResult[]];
}

/** Failures by their reason and what the driver said last on stderr, the most frequent first. */
export function causesOf(results: readonly ScenarioResult[]): readonly Cause[] {
  const groups = new Map<string, Cause>();
  for (const result of results.filter(isFailure)) {
    const { status } = result;
    const text = normalReason(result);
    const key = `${status} ${text} ${normal(result.stderr?.split('\n').at(-1) ?? '')}`;
    const before = groups.get(key)?.results;
    groups.set(key, { text, status, results: before === undefined ? [result] : [...before, result] });
  }
  return [...groups.values()].sort((a, b) => b.results.length - a.results.length);
}

const NORMAL: readonly (readonly [RegExp, string])[] = [
  // Where in its scenario: `l0-a.jsonl:12: `, `(l0-a.jsonl:3)`, `line 10: `.
  [/^(?:\S+:\d+|line \d+): /g, ''],
  [/ ?\([\w.-]{1,120}:\d{1,9}\)/g, ''],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?:toolu|msg|req|call)_[\w-]+|\bq-\d+\b/g, '<id>'],
  [/(?:\/[\w.@+-]+){2,}/g, '<path>'],
  [/\b(?:with)?in \d+ ms\b/g, 'in time'],
  [/\b\d+ ms\b/g, 'N ms'],
  [/\b\d{4,}\b/g, 'N'],
  [/\bwith \d+ steps to go\b/g, 'too early'],
  [/\bthe command "[^"]*" \(([^)]*)\)/g, '$1'],
];

/** A reason without what differs from one scenario to the next. */
export function normalReason({ reason, status }: ScenarioResult): string {
  const [line = ''] = (reason ?? status).split('\n', 1);
  return normal(line);
}

function normal(line: string): string {
  return NORMAL.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), line).trim();
}

/** `12 scenarios fail for one reason: …`; of a single one, its reason. */
export function headline({ text, results: { length }, status }: Cause): string {
  const verb = status === 'failed' ? 'fail' : 'cannot be judged';
  return length === 1 ? text : `${length} scenarios ${verb} for one reason: ${text}`;
}
