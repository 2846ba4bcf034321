import type { QueryContext } from 'claudewire';
import type { CheckedOptions } from '../options.js';

/** The first release whose spans were looked at. 2.0.0 has none; those between were not looked at. */
const SEEN = [2, 1, 330] as const;

/** Whether the CLI itself makes the spans of model calls and tools of this run. */
export function cliHasInnerSpans(
  { hasCliTraces, cliVersion }: Pick<QueryContext, 'hasCliTraces' | 'cliVersion'>,
  { innerSpans }: Pick<CheckedOptions, 'innerSpans'>,
): boolean {
  if (innerSpans !== 'auto') return innerSpans === 'cli';
  return hasCliTraces && isSeen(cliVersion);
}

function isSeen(version: string | undefined): boolean {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (numbers.length === 0) return false;
  for (const [index, least] of SEEN.entries()) {
    const number = Number(numbers[index]);
    if (number !== least) return number > least;
  }
  return true;
}
