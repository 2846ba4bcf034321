import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeRow } from '../harness/judge.js';
import type { Row, RowEvidence } from '../harness/row.js';
import type { PureProgram } from './program.js';
import { PureSides } from './sides.js';

export interface RunPureOptions {
  /** The interpreter with the Python SDK. */
  readonly python: string;
  /** The one with the older release. */
  readonly before: string;
  /** Path of `pure.py`. */
  readonly pureScript: string;
  /** Path of the bundle of `ours.ts`. */
  readonly pureOurs: string;
  /** Path of `writes-down.mjs`. */
  readonly pureCli: string;
  readonly onProgram?: (name: string, seen: object) => void;
}

/** Makes the calls of these rows in both SDKs and judges what came of them. */
export async function runPureRows(
  rows: readonly Row<PureProgram>[],
  { python, before, pureScript, pureOurs, pureCli, onProgram }: RunPureOptions,
): Promise<readonly RowEvidence[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'claudewire-pure-'));
  const sides = new PureSides({
    python: [python, pureScript],
    before: [before, pureScript],
    ours: [process.execPath, pureOurs],
    cli: pureCli,
    scratch,
  });
  try {
    const evidence: RowEvidence[] = [];
    for (const row of rows) evidence.push(await evidenceOf(row, sides, onProgram));
    return evidence;
  } finally {
    await sides.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function evidenceOf(
  row: Row<PureProgram>,
  sides: PureSides,
  onProgram: RunPureOptions['onProgram'],
): Promise<RowEvidence> {
  const kind = 'looks' in row && row.looks.some(({ program }) => hasProcess(program));
  try {
    return await judgeRow(row, kind ? 'process' : 'pure', async (program) => {
      const seen = await sides.observe(program, 'looks' in row && row.isNew === true);
      onProgram?.(seen.name, seen);
      return seen;
    });
  } catch (error) {
    // A side that broke must not take the other rows with it.
    const problem = error instanceof Error ? error.message : String(error);
    const { id, what } = row;
    return { id, what, verdict: 'different', kind: 'pure', looks: [], problems: [problem], moved: [] };
  }
}

function hasProcess({ calls }: PureProgram): boolean {
  return calls.some(({ op }) => op === 'run' || op === 'client');
}
