import type { Verdict } from '../scenario/scenario-types.js';

const MAX_FRAME = 200;
const SHOWN_FRAMES = 8;

/** A verdict for a person: what was expected, what came instead, where, and what came before. */
export function describeVerdict({ scenario, passed, failure, spawn }: Verdict): string {
  if (failure === undefined) return `${scenario}: ${passed ? 'passed' : 'not over'}`;
  const process = spawn > 1 ? ` (process ${spawn})` : '';
  const lines = [`${failure.where ?? scenario}: ${failure.message}${process}`];
  if (failure.expected !== undefined) lines.push(`  expected: ${compact(failure.expected)}`);
  const shown = failure.got.slice(-SHOWN_FRAMES);
  if (shown.length < failure.got.length) {
    lines.push(`  (${failure.got.length - shown.length} earlier frames not shown)`);
  }
  for (const frame of shown) lines.push(`  got: ${compact(frame)}`);
  return lines.join('\n');
}

function compact(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_FRAME
    ? text
    : `${text.slice(0, MAX_FRAME)}… (${text.length} characters)`;
}
