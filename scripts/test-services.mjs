/**
 * The tests that start Redis, PostgreSQL and a stand-in for S3: packages/stores and packages/bullmq. As root it installs
 * Debian's packages where they are missing, and with Python the stand-in. Without one of them it fails, unless
 * ALLOW_NO_SERVICES=1: then nothing is run, and a line says what is missing.
 *
 *   node scripts/test-services.mjs [arguments for vitest]
 *
 * STORES_CUTS=all cuts connections after every single byte, which takes minutes. Last line: `N passed, N failed`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { havePostgres } from './servers/postgres.mjs';
import { haveRedis } from './servers/redis.mjs';
import { haveS3 } from './servers/s3.mjs';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = process.env.STORES_CUTS === 'all' ? 1_800_000 : 560_000;
const SERVICES = [
  ['redis-server (apt-get install redis-server)', haveRedis],
  ['PostgreSQL (apt-get install postgresql)', havePostgres],
  ['moto[server] of PyPI (needs python3 with venv)', haveS3],
];

const missing = [];
for (const [name, have] of SERVICES) {
  if (!(await have())) missing.push(name);
}
if (missing.length === 0) {
  console.log('> vitest, on servers of its own: this takes minutes');
  const reports = join(root, '.build', 'reports');
  const report = join(reports, 'services.json');
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`];
  const result = await execa('vitest', ['run', '--project=services', ...reporters, ...process.argv.slice(2)], {
    ...{ cwd: root, preferLocal: true, localDir: root, stdin: 'ignore', all: true, reject: false, timeout: LIMIT_MS },
  });
  if (result.failed) console.log(result.all || result.shortMessage);
  const { passed, failed, skipped } = countReport(report, result.exitCode ?? -1);
  if (skipped > 0) console.log(`${skipped} skipped`);
  finish(passed, failed);
} else {
  const isAllowed = process.env.ALLOW_NO_SERVICES === '1';
  console.log(`not tested, since this machine has no ${missing.join(', no ')}`);
  if (!isAllowed) console.log('  (ALLOW_NO_SERVICES=1 accepts that)');
  finish(0, isAllowed ? 0 : 1);
}

function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
