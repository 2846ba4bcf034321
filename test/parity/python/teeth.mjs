/**
 * Shows that the rows of the Python checklist can fail: for rows taken by chance our code is changed in the one place that
 * keeps the row, and the row must turn red.
 *
 *   node test/parity/python/teeth.mjs [--count N] [--seed N] [--all] [--only PY-1,PY-02…] [--python FILE]
 *
 * The changes are data (`teeth/mutations.*.mjs`): a text that stands once in a file, and what is put there. One that
 * is not found fails. `--count` rows (20) are drawn by `--seed` (1) among those that have a change; `--all` takes all.
 * Each is run once as it is, which must be green, and gives Python's side; then ours is run with the change.
 * Without Python it fails, unless `ALLOW_NO_PYTHON=1`.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { allowsNoPython, ensurePython, NoPython } from '../../../scripts/python-env.mjs';
import { buildOurs, patching } from './pure/build-ours.mjs';
import { PROCESS_MUTATIONS } from './teeth/mutations.process.mjs';
import { PURE_MUTATIONS } from './teeth/mutations.pure.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(root, '.build', 'parity-python-teeth');
const PROCESS_ENTRY = 'test/parity/python/harness/ours.ts';
/** As many rows at once as the machine of CI has processors. */
const AT_ONCE = 2;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
    python: { type: 'string' },
  },
});
const began = performance.now();
const python = values.python === undefined ? findPython() : resolve(values.python);
const all = [...PURE_MUTATIONS, ...PROCESS_MUTATIONS];
mkdirSync(out, { recursive: true });
const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
};
await build({
  ...shared,
  entryPoints: { tools: join(here, 'teeth', 'tools.ts'), player: 'src/conformance/player/main.ts' },
  outdir: out,
  outExtension: { '.js': '.mjs' },
});
await buildOurs({ outfile: join(out, 'pure.mjs') });
await buildOurs({ outfile: join(out, 'process.mjs'), entry: PROCESS_ENTRY });
const { kindOf, runRows } = await import(pathToFileURL(join(out, 'tools.mjs')).href);

const chosen = choose();
const count = { passed: 0, failed: 0 };
checkAnchors();
const before = { pure: await runUnchanged('pure'), process: await runUnchanged('process') };
const queue = [...chosen];
await Promise.all(Array.from({ length: AT_ONCE }, work));
const rows = new Set(all.map(([id]) => id)).size;
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `  ${chosen.length} of ${rows} rows that have a change; seed ${values.seed}; ${seconds} s`,
);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

function choose() {
  if (values.only !== undefined) {
    const wanted = values.only.split(',');
    return all.filter(([id]) => wanted.some((text) => id.startsWith(text)));
  }
  if (values.all) return all;
  // mulberry32: the same rows for the same seed, everywhere.
  let state = Number(values.seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const left = [...all];
  const drawn = [];
  while (drawn.length < Number(values.count) && left.length > 0) {
    drawn.push(...left.splice(Math.floor(next() * left.length), 1));
  }
  return drawn;
}

/** Also of those that are not drawn: a text that has moved is found at once. */
function checkAnchors() {
  for (const [id, file, anchor, replacement] of all) {
    try {
      patching({ file, anchor, replacement });
    } catch (error) {
      count.failed += 1;
      console.log(`  FAIL   ${id} ${error.message}`);
    }
  }
}

async function work() {
  for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
    const [id] = mutation;
    const problem = await problemOf(mutation).catch(
      (error) => `it could not be run: ${error.message}`,
    );
    count[problem.startsWith('red') ? 'passed' : 'failed'] += 1;
    console.log(`  ${problem.startsWith('red') ? 'red   ' : 'FAIL  '} ${id} ${problem}`);
  }
}

/** The rows of a kind as they are: they must be green, and give Python's side. */
async function runUnchanged(kind) {
  const ids = chosen.map(([id]) => id).filter((id) => kindOf(id) === kind);
  return ids.length === 0 ? undefined : runRows(ids, kind, options());
}

/** `red: …` when the row notices the change, else what is wrong. */
async function problemOf([id, file, anchor, replacement]) {
  const kind = kindOf(id);
  if (kind === undefined) return 'there is no such row';
  const { evidence, python: known } = before[kind];
  const [problem] = evidence.find((row) => row.id === id).problems;
  if (problem !== undefined) return `it is not green without the change: ${problem}`;
  const outfile = join(out, `${id}.mjs`);
  const entry = kind === 'pure' ? undefined : PROCESS_ENTRY;
  await buildOurs({ outfile, patch: { file, anchor, replacement }, ...(entry && { entry }) });
  const after = await runRows([id], kind, options(kind, outfile), known);
  const [first] = after.evidence[0].problems;
  return first === undefined ? `it stays green: ${file}: ${anchor}` : `red: ${first.slice(0, 160)}`;
}

function options(kind, ours) {
  return {
    python,
    pythonDriver: join(here, 'harness', 'parity_driver.py'),
    driverFolder: join(root, 'conformance', 'drivers', 'python'),
    oursDriver: kind === 'process' ? ours : join(out, 'process.mjs'),
    player: join(out, 'player.mjs'),
    pureScript: join(here, 'pure', 'pure.py'),
    pureOurs: kind === 'pure' ? ours : join(out, 'pure.mjs'),
    pureCli: join(here, 'pure', 'small-cli.mjs'),
  };
}

function findPython() {
  try {
    return ensurePython();
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    console.error(`teeth: ${error.message}`);
    const isAllowed = allowsNoPython();
    console.log(isAllowed ? '0 passed, 0 failed' : '0 passed, 1 failed');
    process.exit(isAllowed ? 0 : 1);
  }
}
