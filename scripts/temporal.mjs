/**
 * Tests the example for Temporal, `examples/temporal`, with the packages of `test/temporal`. No Temporal server runs.
 *
 *   npm run test:temporal
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { npmCi } from './namespace.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// Below the root, where the dependencies of `claudewire` are found.
const folder = join(root, '.build', 'temporal');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const file of [
  'test/temporal/package.json',
  'test/temporal/package-lock.json',
  'test/temporal/activity.test.mjs',
  'examples/temporal/activity.mjs',
  'packages/server/bench/job-cli.mjs',
]) {
  copyFileSync(join(root, file), join(folder, file.split('/').at(-1)));
}
npmCi(folder, '--no-audit', '--no-fund');
// A build of its own: other stages replace `dist` meanwhile.
const dist = join(folder, 'node_modules', 'claudewire', 'dist');
execaSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--quiet', '--no-types', '--out-dir', dist], {
  stdio: ['ignore', 2, 2],
});
const { stdout } = execaSync(process.execPath, ['--test', '--test-reporter=tap', 'activity.test.mjs'], {
  cwd: folder,
  reject: false,
  stderr: 'inherit',
  timeout: 120_000,
});
const passed = countOf('pass');
// A run that was cut short says nothing of what it did not reach.
const failed = passed > 0 ? countOf('fail') + countOf('cancelled') : 1;
if (failed > 0) console.log(stdout);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function countOf(name) {
  return Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
}
