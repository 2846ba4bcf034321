import { expect } from 'vitest';
import { isJsonObject } from '../../../../src/util/json.js';
import type { NormalRun } from './normalise.js';

/** Holds a run over claudewire against one over the official package. The latter has to be a good one. */
export function expectSameRun(
  official: NormalRun,
  ours: NormalRun,
  options: {
    readonly check: (run: NormalRun) => void;
    /** Labels of errors: here a text may go on where the official one ends. */
    readonly errors?: readonly string[];
    /** The values are tables, which may hold more here. */
    readonly isOpen?: boolean;
  },
): void {
  expect(official, 'over the official package').toMatchObject({ exitCode: 0, left: [] });
  options.check(official);
  const { errors = [], isOpen = false } = options;
  // Piece by piece, so that a failure shows what differs and no more.
  expect(ours.stderr).toEqual(official.stderr);
  for (const label of new Set([...Object.keys(official.said), ...Object.keys(ours.said)])) {
    const values = official.said[label] ?? [];
    const wanted = errors.includes(label) ? values.map(asPrefixes) : values;
    const found = expect.soft(ours.said[label], label);
    if (isOpen) found.toMatchObject(wanted);
    else found.toEqual(wanted);
  }
  expect.soft(ours.asked, 'model calls').toEqual(official.asked);
  expect(ours).toMatchObject({ exitCode: 0, left: [] });
}

/** The same value with every `message` as the beginning of one. */
function asPrefixes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPrefixes);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      key === 'message' ? expect.stringMatching(startsWith(String(entry))) : asPrefixes(entry),
    ]),
  );
}

function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
