/** What `teeth.mjs` runs rows with: bundled once, while the package under test is bundled for each change. */
import { judgeRow } from '../harness/judge.js';
import { ProcessSides, type ProcessSidesOptions } from '../harness/process-sides.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Json, Row, RowEvidence } from '../harness/row.js';
import { type RunPureOptions, runPureRows } from '../pure/run-pure.js';
import { processRows } from '../rows/process-rows.js';
import { pureRows } from '../rows/pure-rows.js';

export type ToolOptions = ProcessSidesOptions & RunPureOptions;

/** What runs of some rows say, and what Python showed in them, by program. */
export interface RowRuns {
  readonly evidence: readonly RowEvidence[];
  readonly python: ReadonlyMap<string, Json>;
}

export function kindOf(id: string): 'pure' | 'process' | undefined {
  if (pureRows.some((row) => row.id === id)) return 'pure';
  return processRows.some((row) => row.id === id) ? 'process' : undefined;
}

/** Runs rows of one kind. With `known` only our side is run. */
export async function runRows(
  ids: readonly string[],
  kind: 'pure' | 'process',
  options: ToolOptions,
  known?: ReadonlyMap<string, Json>,
): Promise<RowRuns> {
  if (kind === 'process') return runProcessRows(ids, options, known);
  const wanted = pureRows.filter(({ id }) => ids.includes(id));
  return runPureRows(wanted, { ...options, ...(known === undefined ? {} : { known }) });
}

async function runProcessRows(
  ids: readonly string[],
  options: ToolOptions,
  known: ReadonlyMap<string, Json> | undefined,
): Promise<RowRuns> {
  const wanted: readonly Row<ProcessProgram>[] = processRows.filter(({ id }) => ids.includes(id));
  const programs = wanted.flatMap((row) =>
    'looks' in row ? row.looks.map(({ program }) => program) : [],
  );
  const sides = new ProcessSides({
    ...options,
    ...(known === undefined ? {} : { knownPython: known }),
  });
  try {
    const unique = [...new Set(programs)];
    await sides.run(unique);
    const evidence: RowEvidence[] = [];
    for (const row of wanted) {
      evidence.push(await judgeRow(row, 'process', async (program) => sides.observe(program)));
    }
    return {
      evidence,
      python: new Map(unique.map((one) => [one.name, sides.observe(one).python])),
    };
  } finally {
    sides.remove();
  }
}
