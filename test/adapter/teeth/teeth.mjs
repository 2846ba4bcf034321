/**
 * Shows that the rows of the adapter can fail: for rows taken by chance the source is changed in the one place that keeps the row,
 * and the row's tests must turn red.
 *
 *   node test/adapter/teeth/teeth.mjs [--count N] [--seed N] [--all] [--only AD-137,AD-138]
 *
 * The changes are data (`mutations/*.json`): `row`, `about`, `file`, a text that stands once in it (`find`), and what is put there (`replace`).
 * A change is made while the file is loaded; nothing is written. `--count` rows (20) are drawn by `--seed` (1) among all rows of the checklist that
 * need no real CLI; a drawn row without a change fails. `--all` takes every row that has one.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const AT_ONCE = 2;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const began = performance.now();
const rows = JSON.parse(readFileSync(join(root, 'test/adapter/rows/rows.json'), 'utf8'));
const mutations = readdirSync(join(here, 'mutations'))
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => JSON.parse(readFileSync(join(here, 'mutations', name), 'utf8')));
const scratch = mkdtempSync(join(tmpdir(), 'claudewire-teeth-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(join(scratch, 'reports'));

const count = { passed: 0, failed: 0 };
for (const { row, file, find } of mutations) {
  const times = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  if (times !== 1) judge(row, false, `its text stands ${times} times in ${file}`);
}
const chosen = choose();
const queue = [...chosen];
await Promise.all(Array.from({ length: AT_ONCE }, work));
const seconds = ((performance.now() - began) / 1000).toFixed(1);
const having = new Set(mutations.map(({ row }) => row)).size;
console.log(`  ${having} of ${rows.length} rows have a change; seed ${values.seed}; ${seconds} s`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

function choose() {
  if (values.only !== undefined) {
    return mutations.filter(({ row }) => values.only.split(',').includes(row));
  }
  if (values.all) return mutations;
  const drawn = shuffled(rows.filter(({ level }) => level.some((each) => each !== 'L')))
    .slice(0, Number(values.count))
    .map(({ id }) => id);
  for (const id of drawn) {
    if (!mutations.some(({ row }) => row === id)) judge(id, false, 'drawn, and has no change');
  }
  return mutations.filter(({ row }) => drawn.includes(row));
}

/** Fisher and Yates, with a generator that `--seed` starts. */
function shuffled(list) {
  let state = Number(values.seed) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const copy = [...list];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(next() * (index + 1));
    [copy[index], copy[other]] = [copy[other], copy[index]];
  }
  return copy;
}

async function work() {
  for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
    const { row, about } = mutation;
    const { passed, failed } = await runRow(mutation);
    if (failed > 0) judge(row, true, about);
    else judge(row, false, `${about}: ${passed} tests still pass`);
  }
}

/** Runs the tests that cite the row, with the source changed. */
async function runRow(mutation) {
  const report = join(scratch, 'reports', `${mutation.row}-${Math.random()}.json`);
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', `--config=${join(here, 'vitest.teeth.config.ts')}`, '--configLoader=runner'],
      ...filesCiting(mutation.row),
      ...['--testNamePattern', `${mutation.row}\\b`, '--reporter=json'],
      `--outputFile.json=${report}`,
    ],
    {
      cwd: root,
      env: { ...process.env, ADAPTER_MUTATION: JSON.stringify(mutation) },
      stdio: 'ignore',
      timeout: 60_000,
    },
  );
  await new Promise((resolve) => child.on('close', resolve));
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    // No report: the tests did not start, and a row that was not run is not red.
    return { passed: 0, failed: 0 };
  }
}

function filesCiting(row) {
  return readdirSync(join(root, 'test/adapter'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', 'adapter', name))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes(row));
}

function judge(row, isGood, text) {
  count[isGood ? 'passed' : 'failed'] += 1;
  console.log(`  ${isGood ? 'red  ' : 'GREEN'}  ${row} ${text}`);
}
