import { execFileSync } from 'node:child_process';
import { VERSION } from '../../../../src/version.js';
import { type RunPureOptions, runPureRows } from '../pure/run-pure.js';
import { processRows } from '../rows/process-rows.js';
import { pureRows } from '../rows/pure-rows.js';
import { ALLOWED } from './allowed.js';
import { judgeRow } from './judge.js';
import { ProcessSides, type ProcessSidesOptions } from './process-sides.js';
import type { ProcessProgram } from './program.js';
import type { Evidence, Row, RowEvidence, ShownRow } from './row.js';
import { judgeWhole, type Whole } from './whole.js';

export interface RunOptions extends ProcessSidesOptions, RunPureOptions {
  /** Only rows whose id has one of these texts at its beginning. */
  readonly only?: readonly string[];
  /** Shows what both sides did in each program. */
  readonly onProgram?: (name: string, python: unknown, ours: unknown) => void;
}

/** How many rows the checklist has: `PY-001` to `PY-337`. */
const ROWS = 337;

export interface RunResult extends Evidence {
  /** Ids of the checklist that no row has. */
  readonly missing: readonly string[];
}

/** Rows of both kinds, run and judged, in the order of their ids. */
export async function run(options: RunOptions): Promise<RunResult> {
  const isWanted = ({ id }: { readonly id: string }): boolean =>
    options.only === undefined || options.only.some((text) => id.startsWith(text));
  const all: readonly { readonly id: string }[] = [...processRows, ...pureRows];
  const { evidence: processEvidence, wholes } = await runProcessRows(processRows.filter(isWanted), options);
  const rows = [...processEvidence, ...(await runPureRows(pureRows.filter(isWanted), options))];
  const ids = all.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`two rows are called ${twice}`);
  return {
    versions: versionsOf(options.python),
    rows: [...rows].sort((left, right) => left.id.localeCompare(right.id)),
    whole: {
      programs: wholes.length,
      allowed: ALLOWED,
      // An entry that some of the rows do not need may be needed by others.
      problems: judgeWhole(wholes, ALLOWED).filter(
        (problem) => options.only === undefined || !problem.startsWith('is on the list'),
      ),
    },
    missing: options.only === undefined ? missingFrom(ids) : [],
  };
}

function missingFrom(ids: readonly string[]): readonly string[] {
  return Array.from({ length: ROWS }, (_, at) => `PY-${String(at + 1).padStart(3, '0')}`).filter(
    (id) => !ids.includes(id),
  );
}

const ASK = `import json, platform, importlib.metadata as m
print(json.dumps({'python': platform.python_version(), 'claudeAgentSdk': m.version('claude-agent-sdk'), 'mcp': m.version('mcp')}))`;

function versionsOf(python: string): Evidence['versions'] {
  const said = execFileSync(python, ['-c', ASK], { encoding: 'utf8' });
  return { ...JSON.parse(said), claudewire: VERSION, node: process.versions.node };
}

async function runProcessRows(
  rows: readonly Row<ProcessProgram>[],
  options: RunOptions,
): Promise<{ readonly evidence: readonly RowEvidence[]; readonly wholes: readonly Whole[] }> {
  const programs = programsOf(rows.filter((row) => 'looks' in row));
  const sides = new ProcessSides(options);
  try {
    await sides.run(programs);
    for (const program of programs) {
      const { python, ours } = sides.observe(program);
      options.onProgram?.(program.name, python, ours);
    }
    const evidence: RowEvidence[] = [];
    for (const row of rows) {
      evidence.push(await judgeRow(row, 'process', async (program) => sides.observe(program)));
    }
    const wholes = programs.map(
      (program): Whole => ({
        ...sides.observe(program),
        listed: rows
          .flatMap((row) => ('looks' in row ? row.looks : []))
          .filter((look) => look.program === program)
          .flatMap(({ differs = [] }) => differs.map(({ at }) => at)),
      }),
    );
    return { evidence, wholes };
  } finally {
    sides.remove();
  }
}

/** Every program once. Two programs of one name are a mistake in the rows. */
function programsOf(rows: readonly ShownRow<ProcessProgram>[]): readonly ProcessProgram[] {
  const found = new Map<string, ProcessProgram>();
  for (const { program } of rows.flatMap(({ looks }) => looks)) {
    const before = found.get(program.name);
    if (before !== undefined && before !== program) {
      throw new Error(`two programs are called ${program.name}`);
    }
    found.set(program.name, program);
  }
  return [...found.values()];
}
