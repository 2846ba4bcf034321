/**
 * The web pages of packages/server and packages/viewer in a real headless Chromium, on the scripted CLI. As root it installs the Chromium of
 * the distribution where there is none; CHROMIUM names another one. Without any it fails, unless ALLOW_NO_CHROMIUM=1.
 *
 *   node scripts/test-page.mjs [arguments for vitest]
 *
 * Last line: `N passed, N failed`.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(browser) && process.getuid?.() === 0) {
  await run('apt-get', ['update', '-qq']);
  await run('apt-get', ['install', '-y', '-qq', 'chromium']);
}
if (existsSync(browser)) {
  const report = join(root, '.build', 'reports', 'page.json');
  mkdirSync(join(root, '.build', 'reports'), { recursive: true });
  rmSync(report, { force: true });
  const checked = [];
  for (const name of ['server', 'viewer'])
    checked.push(await run('tsc', ['-p', `packages/${name}/src/page/tsconfig.json`]));
  const wrong = checked.filter((status) => status !== 0).length;
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`];
  const status = await run('vitest', ['run', '--project=page', ...reporters, ...process.argv.slice(2)]);
  const { passed, failed } = countReport(report, status);
  finish(passed + checked.length - wrong, failed + wrong);
} else {
  const isAllowed = process.env.ALLOW_NO_CHROMIUM === '1';
  console.log(`There is no ${browser}. Install Chromium, or set CHROMIUM to its path.`);
  finish(0, isAllowed ? 0 : 1);
}

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function run(command, args) {
  const result = await execa(command, args, {
    ...{ cwd: root, preferLocal: true, localDir: root, stdin: 'ignore', all: true, reject: false, timeout: 220_000 },
  });
  if (result.failed) console.log(result.all || result.shortMessage);
  return result.exitCode ?? -1;
}
