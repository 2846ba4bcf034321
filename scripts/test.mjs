/**
 * Runs what `npm test` promises: typecheck, lint, and every test but those that start real processes for long and the live
 * ones. Prints what failed, and nothing about what passed.
 *
 *   node scripts/test.mjs [arguments for vitest]               npm test; with a file or folder, its process tests too
 *   node scripts/test.mjs --processes [arguments for vitest]   npm run test:processes: the tests that start real processes
 *
 * `vitest.config.ts` says which tests are which. vitest's own report stays in `.build/reports/test.json` or `processes.json`,
 * for `scripts/adapter-rows.mjs`.
 *
 * The last line is `N passed, N failed` (with `, N skipped` when there are any). A typecheck or lint
 * that fails counts as one failure. Exits with 1 when anything failed.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const wantsProcesses = args.includes('--processes');
const rest = args.filter((arg) => arg !== '--processes');
const count = { passed: 0, failed: 0, skipped: 0 };

if (wantsProcesses) {
  await runTests('processes', ['processes'], rest);
} else {
  // Side by side: the tests wait for processes now and then.
  const checks = [check('tsc', ['-p', 'tsconfig.json']), check('biome', ['check', '.'])];
  const projects = ['fast', 'clock', 'alone'];
  // Whoever names a file wants that one, in whatever stage it is.
  if (rest.some((arg) => !arg.startsWith('-'))) projects.push('processes');
  await Promise.all([...checks, runTests('test', projects, rest)]);
}
const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exitCode = count.failed === 0 ? 0 : 1;

async function check(command, commandArgs) {
  const status = await run(command, commandArgs);
  count[status === 0 ? 'passed' : 'failed'] += 1;
}

async function runTests(name, projects, vitestArgs) {
  const reports = join(root, '.build', 'reports');
  const report = join(reports, `${name}.json`);
  mkdirSync(reports, { recursive: true });
  // A run that ends before it reports must not count with the report of another.
  rmSync(report, { force: true });
  const status = await run('vitest', [
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--passWithNoTests=false',
    '--reporter=minimal',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...vitestArgs,
  ]);
  const counted = countReport(report, status);
  for (const key of Object.keys(count)) count[key] += counted[key];
}

/**
 * Shows the output of a command that fails, or that is told to stop.
 *
 * @returns {Promise<number>} the exit code; -1 when it could not be run or was killed
 */
async function run(command, commandArgs) {
  const child = execa(command, commandArgs, {
    cwd: root,
    preferLocal: true,
    localDir: root,
    stdin: 'ignore',
    all: true,
    reject: false,
    // No test uses the network, and Node 20 reads these certificates whenever it starts: for longer than the start itself.
    env: { ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), NODE_EXTRA_CA_CERTS: undefined },
  });
  const stop = () => child.kill('SIGTERM');
  process.once('SIGTERM', stop);
  const { failed, exitCode, all, shortMessage } = await child;
  process.off('SIGTERM', stop);
  if (failed) console.log(all || shortMessage);
  return exitCode ?? -1;
}
