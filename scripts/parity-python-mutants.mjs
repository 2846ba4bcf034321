/**
 * Mutation test of the rows of the Python parity: breaks our code in one place (`test/mutation/python-rows.mjs`), runs the row
 * that is about it, and fails when the row does not. By hand, about three minutes; not part of `.ci/run`.
 *
 *   node scripts/parity-python-mutants.mjs [--only NAME|PY-…]... [--draw N [--seed TEXT]]
 *
 * `--draw` runs nothing: it prints the ids of N rows, to write new breaks for. The evidence of the last run of
 * `parity-python.mjs` says which rows there are.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applyMutant, replacing, sourceIndex } from '../test/mutation/apply.mjs';
import mutants, { SEED } from '../test/mutation/python-rows.mjs';
import { buildOurs, findPython, prepareStage } from './parity-python-stage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = join(root, '.build', 'parity-python-mutants');
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    draw: { type: 'string' },
    seed: { type: 'string', default: SEED },
  },
});

if (values.draw === undefined) await runAll();
else console.log(draw(Number(values.draw), values.seed).join('\n'));

function draw(count, seed) {
  const { rows } = JSON.parse(readFileSync(join(root, '.build', 'parity-python.json'), 'utf8'));
  const rank = ({ id }) => createHash('sha256').update(`${seed}:${id}`).digest('hex');
  return rows
    .filter(({ verdict }) => verdict !== 'not-applicable')
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
    .slice(0, count)
    .map(({ id, verdict, what }) => `${id} ${verdict}: ${what}`);
}

async function runAll() {
  const chosen = mutants.filter(({ name, row }) => values.only?.some((one) => one === name || one === row) ?? true);
  mkdirSync(work, { recursive: true });
  const run = await prepareStage({ folder: work, ...findPython() });
  const index = sourceIndex();
  await buildOurs(work);
  const { rows: original } = await run(work, { only: chosen.map(({ row }) => row) });
  const isGreen = (id) => original.some((row) => row.id === id && row.problems.length === 0);
  let failed = 0;
  for (const mutant of chosen) {
    const why = isGreen(mutant.row) ? await tryMutant(mutant, run, index) : 'the row fails without the break too';
    if (why !== undefined) failed += 1;
    console.log(
      `  ${why === undefined ? 'red ' : 'FAIL'} ${mutant.row} ${mutant.name}${why === undefined ? '' : `: ${why}`}`,
    );
  }
  rmSync(work, { recursive: true, force: true });
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** @returns why the row does not show the break; `undefined` when it is red. */
async function tryMutant(mutant, run, index) {
  const folder = join(work, mutant.name);
  await buildOurs(folder, [replacing(applyMutant(mutant, index))]);
  const { rows, whole } = await run(folder, { only: [mutant.row] });
  const problems = rows.find(({ id }) => id === mutant.row)?.problems ?? [];
  if (problems.length > 0) {
    console.log(`       ${problems[0].slice(0, 200)}`);
    return undefined;
  }
  return whole.problems.length > 0 ? 'only the whole observation is red' : 'the row stays green';
}
