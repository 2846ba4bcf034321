/**
 * Runs the parity stage with the official Python SDK: the rows of the Python checklist as data, each shown in two
 * releases of it and in ours, and compared.
 *
 *   node scripts/parity-python.mjs [--only PY-1,PY-02…] [--show NAME] [--out FILE]
 *
 * Needs a Python 3.10 or later, into whose private environments the pinned packages of
 * `test/parity/python/requirements.txt` go, once with each release (the only step that needs a registry). Without one it
 * fails, unless `ALLOW_NO_PYTHON=1`.
 * `--only` runs the rows whose ids begin so. `--show` prints what all sides did in the programs with that text in
 * their name. The evidence goes to `.build/parity-python.json`, from which `scripts/parity-python-doc.mjs` makes
 * `docs/evidence/parity-python.md`; a page that says something else is a failure.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isUpToDate } from './parity-python-doc.mjs';
import { buildOurs, findPython, prepareStage } from './parity-python-stage.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.build', 'parity-python');
const { values } = parseArgs({
  options: { only: { type: 'string' }, show: { type: 'string' }, out: { type: 'string' } },
});

const began = performance.now();
const run = await prepareStage({ folder, ...findPython() });
await buildOurs(folder);
const { rows, versions, missing, whole } = await run(folder, {
  onSlow: (program, seconds) => console.log(`  slow: ${program}, ${seconds.toFixed(1)} s`),
  ...(values.only === undefined ? {} : { only: values.only.split(',') }),
  ...(values.show === undefined ? {} : { onProgram: show }),
});
report();

function show(name, { name: _, ...sides }) {
  if (!name.includes(values.show)) return;
  for (const [side, seen] of Object.entries(sides)) {
    console.log(`--- ${name}: ${side}\n${JSON.stringify(seen, null, 1)}`);
  }
}

function report() {
  const problems = rows.filter((row) => row.problems.length > 0);
  for (const { id, verdict, what, problems: found } of rows) {
    console.log(`  ${(found.length > 0 ? 'FAIL' : verdict).padEnd(14)} ${id} ${what}`);
    for (const problem of found) console.log(`                 ${problem}`);
  }
  for (const id of missing) console.log(`  FAIL           ${id} no row`);
  if (values.only === undefined) {
    const file = values.out ?? join(root, '.build', 'parity-python.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ versions, rows, whole }, null, 2)}\n`);
  }
  for (const problem of whole.problems) console.log(`  FAIL           whole: ${problem}`);
  const isPageOld = values.only === undefined && !isUpToDate({ versions, rows, whole });
  if (isPageOld) {
    console.log(
      '  FAIL           docs/evidence/parity-python.md is not what was seen: node scripts/parity-python-doc.mjs',
    );
  }
  const failed = problems.length + missing.length + whole.problems.length + (isPageOld ? 1 : 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const count = (verdict) => rows.filter((row) => row.problems.length === 0 && row.verdict === verdict).length;
  console.log(
    `  ${count('equal')} equal, ${count('different')} different as listed, ${count('not-applicable')} not applicable; ${seconds} s`,
  );
  console.log(`${rows.length - problems.length} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
