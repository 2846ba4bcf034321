/**
 * The tests that start nginx and HAProxy in front of packages/server. As root it installs Debian's packages where they are
 * missing. Without one of them it fails, unless ALLOW_NO_PROXIES=1: then nothing is run, and a line says what is missing.
 *
 *   node scripts/test-proxies.mjs [arguments for vitest]
 *
 * Last line: `N passed, N failed`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { haveHaproxy, haveNginx } from './servers/proxies.mjs';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const missing = [];
if (!(await haveNginx())) missing.push('nginx (Debian: nginx-light)');
if (!(await haveHaproxy())) missing.push('haproxy');
if (missing.length === 0) {
  const reports = join(root, '.build', 'reports');
  const report = join(reports, 'proxies.json');
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`];
  const result = await execa('vitest', ['run', '--project=proxies', ...reporters, ...process.argv.slice(2)], {
    ...{ cwd: root, preferLocal: true, localDir: root, stdin: 'ignore', all: true, reject: false, timeout: 240_000 },
  });
  if (result.failed) console.log(result.all || result.shortMessage);
  const { passed, failed } = countReport(report, result.exitCode ?? -1);
  finish(passed, failed);
} else {
  const isAllowed = process.env.ALLOW_NO_PROXIES === '1';
  console.log(`not tested, since this machine has no ${missing.join(', no ')}`);
  if (!isAllowed) console.log('  (ALLOW_NO_PROXIES=1 accepts that)');
  finish(0, isAllowed ? 0 : 1);
}

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
