import { execFileSync } from 'node:child_process';
import { VERSION } from '../../../../src/version.js';
import { type RunPureOptions, runPureRows } from '../pure/run-pure.js';
import { processRows } from '../rows/process-rows.js';
import { pureRows } from '../rows/pure-rows.js';
import { ALLOWED } from './allowed.js';
import { judgeRow, type Observed } from './judge.js';
import { MOVED } from './moved.js';
import { ProcessSides, type ProcessSidesOptions } from './process-sides.js';
import type { ProcessProgram } from './program.js';
import type { Evidence, Row, RowEvidence, ShownRow } from './row.js';
import { type Allowed, judgeWhole, type Whole } from './whole.js';

export interface RunOptions extends ProcessSidesOptions, RunPureOptions {
  /** Only rows whose id has one of these texts at its beginning. */
  readonly only?: readonly string[];
  readonly officialVersion: string;
  /** Shows what all sides did in each program. */
  readonly onProgram?: (name: string, seen: object) => void;
}

/** How many rows the checklist has: `PY-001` to `PY-367`. */
const ROWS = 367;

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
    versions: {
      ...versionsOf(options.python),
      before: versionsOf(options.before).claudeAgentSdk,
      official: options.officialVersion,
    },
    rows: [...rows].sort((left, right) => left.id.localeCompare(right.id)),
    whole: {
      programs: wholes.length,
      allowed: ALLOWED,
      // An entry that some of the rows do not need may be needed by others.
      moved: MOVED,
      problems: judgeWholes(wholes).filter(
        (problem) => options.only === undefined || !problem.includes('is on the list'),
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

function versionsOf(python: string): Omit<Evidence['versions'], 'before' | 'official'> {
  const said = execFileSync(python, ['-c', ASK], { encoding: 'utf8' });
  return { ...JSON.parse(said), claudewire: VERSION, node: process.versions.node };
}

async function runProcessRows(
  rows: readonly Row<ProcessProgram>[],
  options: RunOptions,
): Promise<{ readonly evidence: readonly RowEvidence[]; readonly wholes: readonly Wholes[] }> {
  const shown = rows.filter((row) => 'looks' in row);
  const programs = programsOf(shown);
  const isNew = (program: ProcessProgram): boolean =>
    shown.every((row) => row.isNew === true || row.looks.every((look) => look.program !== program));
  const sides = new ProcessSides(options);
  try {
    await sides.run(programs, isNew);
    for (const program of programs) {
      options.onProgram?.(program.name, sides.observe(program));
    }
    const evidence: RowEvidence[] = [];
    for (const row of rows) {
      evidence.push(await judgeRow(row, 'process', async (program) => sides.observe(program)));
    }
    const wholes = programs.map((program) => {
      const looks = shown.flatMap((row) => row.looks.filter((look) => look.program === program));
      const paths = (differs: readonly { readonly at: string }[] = []): readonly string[] =>
        differs.map((each) => each.at);
      const moved = evidence.flatMap((row) =>
        row.looks.some(({ program: name }) => name === program.name) ? row.moved : [],
      );
      return {
        ...sides.observe(program),
        listed: looks.flatMap(({ differs }) => paths(differs)),
        listedBefore: looks.flatMap(({ differs, before }) => paths(before?.differs ?? differs)),
        moved: paths(moved),
      };
    });
    return { evidence, wholes };
  } finally {
    sides.remove();
  }
}

/** The observations of one program, and what its rows list: for the newest release, the older one, and between them. */
interface Wholes extends Observed {
  readonly listed: readonly string[];
  readonly listedBefore: readonly string[];
  readonly moved: readonly string[];
}

function judgeWholes(wholes: readonly Wholes[]): readonly string[] {
  const both = wholes.flatMap(({ before, ...rest }) => (before === undefined ? [] : [{ ...rest, before }]));
  const list = (release: 'newest' | 'before'): readonly Allowed[] =>
    ALLOWED.filter(({ only = release }) => only === release);
  return [
    ...judgeWhole(wholes, list('newest')),
    ...judgeWhole(
      both.map(({ name, before, ours, listedBefore }) => ({ name, python: before, ours, listed: listedBefore })),
      list('before'),
    ).map((problem) => `release before: ${problem}`),
    ...judgeWhole(
      both.map(({ name, before, python, moved }): Whole => ({ name, python: before, ours: python, listed: moved })),
      MOVED,
    ).map((problem) => `between the releases (ours is the newest): ${problem}`),
  ];
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
