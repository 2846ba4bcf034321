/**
 * Mutation testing for breadth with Stryker: every small change of a folder, against the tests of that folder. On demand: a
 * folder takes minutes to hours.
 *
 *   node scripts/mutation-breadth.mjs FOLDER...        parser, control, transport, adapter/isolation
 *
 * Writes the score of each folder into `docs/evidence/mutation.md`; what survived is in `.build/mutation/FOLDER.json`.
 * Exits with 1 when a run failed. A low score is no failure. On Linux it runs in a process namespace of its own (`unshare`).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(root, 'docs', 'evidence', 'mutation.md');
const FOLDERS = ['parser', 'control', 'transport', 'adapter/isolation'];

const folders = process.argv.slice(2);
const unknown = folders.find((folder) => !FOLDERS.includes(folder));
if (folders.length === 0 || unknown !== undefined) {
  console.error(`Usage: npm run mutation:breadth -- FOLDER..., of ${FOLDERS.join(', ')}`);
  process.exit(2);
}
for (const folder of folders) {
  const began = performance.now();
  const [command, ...args] = [...cage(), join(root, 'node_modules', '.bin', 'stryker'), 'run'];
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATION_FOLDER: folder },
  });
  if (status === 0) writeScore(folder, Math.round((performance.now() - began) / 60_000));
  else process.exitCode = 1;
  if (error) console.error(`${command} could not be run: ${error.message}`);
}

/** A mutant of code that kills may kill every process of the user. In a namespace of its own it sees only its own. */
function cage() {
  if (process.platform !== 'linux') return [];
  const asUser = process.getuid() === 0 ? [] : ['--user', '--map-current-user'];
  return ['unshare', ...asUser, '--pid', '--fork', '--mount-proc', '--kill-child'];
}

function writeScore(folder, minutes) {
  const file = join(root, '.build', 'mutation', `${folder.replaceAll('/', '-')}.json`);
  const counts = countOf(JSON.parse(readFileSync(file, 'utf8')));
  const known = rowsOf(readPage());
  const today = new Date().toISOString().slice(0, 10);
  known.set(folder, rowOf(folder, counts, minutes, today));
  mkdirSync(dirname(PAGE), { recursive: true });
  writeFileSync(PAGE, pageOf(known));
  console.log(known.get(folder));
}

function countOf({ files }) {
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  return { killed: count('Killed', 'Timeout'), survived: count('Survived'), uncovered: count('NoCoverage') };
}

function rowOf(folder, { killed, survived, uncovered }, minutes, date) {
  const score = (100 * killed) / (killed + survived + uncovered);
  const cells = [`\`src/${folder}\``, `${score.toFixed(1)} %`, killed, survived, uncovered];
  return `| ${[...cells, `${Math.max(1, minutes)} min`, date].join(' | ')} |`;
}

function rowsOf(page) {
  const rows = page.matchAll(/^\| `src\/([^`]+)` \|.*\|$/gm);
  return new Map([...rows].map(([row, folder]) => [folder, row]));
}

function readPage() {
  try {
    return readFileSync(PAGE, 'utf8');
  } catch {
    return '';
  }
}

function pageOf(rows) {
  const lines = FOLDERS.map((folder) => rows.get(folder) ?? `| \`src/${folder}\` | not measured yet | | | | | |`);
  return `# Mutation score

Each row changes one folder in many small ways (an operator, a condition, a string, a removed block) and runs the tests of that
folder on each change. A change that no test notices survived. Left out are changes of values that a module computes when it
loads, and \`src/adapter/isolation/end-processes.ts\`, whose changes kill the tool itself. Tests of other folders, the conformance
suite and the live stage do not count here, so code that only they use shows as survived or not covered.

| folder | score | killed | survived | not covered | time | measured |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
${lines.join('\n')}

Measured with Stryker on two cores by \`npm run mutation:breadth -- parser\`, and the same for the other folders. The named bugs that
the conformance suite must find are another test: see [mutants](conformance-mutants.md).
`;
}
