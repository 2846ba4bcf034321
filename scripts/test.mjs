/**
 * Runs what `npm test` promises: typecheck, lint, and every test but the live ones.
 *
 *   node scripts/test.mjs [arguments for vitest]
 *
 * vitest's own report stays in `.build/reports/test.json`, for `scripts/adapter-rows.mjs`.
 *
 * The last line is `N passed, N failed` (with `, N skipped` when there are any). A typecheck or lint
 * that fails counts as one failure. Exits with 1 when anything failed.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', '.bin', name);
const count = { passed: 0, failed: 0, skipped: 0 };

for (const [title, command, args] of [
  ['typecheck', 'tsc', ['-p', 'tsconfig.json']],
  ['lint', 'biome', ['check', '.']],
]) {
  const isGood = (await run(title, command, args)) === 0;
  count[isGood ? 'passed' : 'failed'] += 1;
}
await runTests(process.argv.slice(2));

const skipped = count.skipped === 0 ? '' : `, ${count.skipped} skipped`;
console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
process.exitCode = count.failed === 0 ? 0 : 1;

async function runTests(args) {
  const reports = join(root, '.build', 'reports');
  const report = join(reports, 'test.json');
  mkdirSync(reports, { recursive: true });
  // A run that ends before it reports must not count with the report of another.
  rmSync(report, { force: true });
  const status = await run('tests', 'vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ]);
  const counted = countReport(report, status);
  for (const key of Object.keys(count)) count[key] += counted[key];
}

/** @returns {Promise<number>} the exit code; -1 when it could not be run or was killed */
function run(title, command, args) {
  const startedAt = performance.now();
  console.log(`> ${title}: ${command}`);
  return new Promise((resolve) => {
    const child = spawn(bin(command), args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.error(`${title}: ${error.message}`);
      resolve(-1);
    });
    child.on('close', (code) => {
      console.log(
        `  ${title}: exit ${code}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
      );
      resolve(code ?? -1);
    });
  });
}
