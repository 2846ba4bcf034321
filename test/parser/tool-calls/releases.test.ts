import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cutCallsPage } from '../../../packages/conformance/scripts/cut-calls/page.mjs';
import { type ToolCallOutcomeKind, type ToolCallReaderOptions, toolCallOutcomes } from '../../../src/index.js';

type Truth = 'ran' | 'failed' | 'denied' | 'not started' | 'unknown';

interface CutCalls {
  readonly releases: Readonly<Record<string, string>>;
  readonly cases: Readonly<Record<string, { readonly truth: readonly Truth[]; readonly records: readonly Recorded[] }>>;
}

/** What releases wrote in one case, without texts. */
interface Recorded {
  readonly releases: readonly string[];
  readonly hooks: readonly object[];
  readonly entries: readonly object[];
  readonly frames: readonly object[];
  readonly afterResume?: readonly object[];
}

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
const data: CutCalls = JSON.parse(read('packages/conformance/wire/cut-calls.json'));
const ALL: ToolCallReaderOptions = { hookEvents: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] };

/** What may be said. That a call did not run is one thing, in two words; that it may have run is never left out. */
const MAY_SAY: Readonly<Record<Truth, readonly ToolCallOutcomeKind[]>> = {
  ran: ['ran'],
  // A call that the CLI refuses for its input has neither run nor begun.
  failed: ['failed', 'never_started'],
  denied: ['denied', 'never_started', 'unknown'],
  'not started': ['never_started', 'denied', 'unknown'],
  unknown: ['unknown'],
};

/** Without hooks, these do not tell every call that was denied from one that failed. */
const hasNoFields = (release: string): boolean => ['2.0.56', '2.1.120'].includes(release);

const rows = Object.entries(data.cases).flatMap(([name, { truth, records }]) =>
  records.map((record) => ({ name, truth, record, releases: record.releases.join(', ') })),
);

describe('V-9: what releases write about calls', () => {
  test.each(rows)('$name, $releases', ({ truth, record }) => {
    const { hooks, frames } = record;
    const stored = [...record.entries, ...(record.afterResume ?? [])];
    for (const [mayBeVague, outcomes] of [
      [true, toolCallOutcomes(record.entries)],
      [true, toolCallOutcomes(stored)],
      [true, toolCallOutcomes(frames)],
      [false, toolCallOutcomes(stored, { ...ALL, hooks })],
      [false, toolCallOutcomes(frames, { ...ALL, hooks })],
    ] as const) {
      for (const [index, what] of truth.entries()) {
        const outcome = outcomes.find(({ id }) => id === `call-${index}`);
        // A release that was killed may have written nothing about it.
        if (outcome === undefined) continue;
        const isVague = what === 'denied' && outcome.kind === 'failed' && record.releases.every(hasNoFields);
        if (!isVague || !mayBeVague) expect(MAY_SAY[what]).toContain(outcome.kind);
      }
    }
  });

  test('newer releases and hooks leave nothing open that did not run', () => {
    const open = rows.flatMap(({ name, truth, record }) => {
      const outcomes = toolCallOutcomes(record.entries, { ...ALL, hooks: record.hooks });
      const isNew = record.releases.some((release) => release.startsWith('2.1.33'));
      return truth.flatMap((what, index) => {
        const kind = outcomes.find(({ id }) => id === `call-${index}`)?.kind;
        return isNew && what !== 'unknown' && kind === 'unknown' ? [name] : [];
      });
    });
    // The process died while it asked: nothing was written.
    expect(open).toEqual(['SIGTERM while canUseTool is asked']);
  });

  test('the page says what the data and the function say', () => {
    expect(read('docs/evidence/cut-calls.md')).toBe(cutCallsPage(data, toolCallOutcomes));
  });
});
