#!/usr/bin/env node
/**
 * Compares every type and value that the official SDK's declarations export with ours: what users pass must fit ours, what they
 * read must fit theirs. Then measures what importing the package costs the type checker.
 *
 *   node scripts/type-parity.mjs [--dist DIR | --from-source] [--all] [NAME...]
 *
 * `--from-source` emits the declarations from `src` instead of taking those of a build; `--all` prints every name; with
 * NAMEs only those are compared, and the whole error is printed. Installs `test/parity/types` first (the only step that needs a
 * registry). Last line: `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkApiReleases } from '../test/parity/types/api-releases.mjs';
import { compareNames } from '../test/parity/types/compare-names.mjs';
import { checkConsumers } from '../test/parity/types/consumers.mjs';
import { selfTest } from '../test/parity/types/self-test.mjs';
import { copyEntryFiles } from './entry-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const suite = join(root, 'test', 'parity', 'types');
const tsc = join(root, 'node_modules', '.bin', 'tsc');
const { values, positionals } = parseArgs({
  options: { dist: { type: 'string', default: 'dist' }, 'from-source': { type: 'boolean' }, all: { type: 'boolean' } },
  allowPositionals: true,
});
const counts = { passed: 0, failed: 0 };

install();
place();
const report = (name, failure) => {
  counts[failure === undefined ? 'passed' : 'failed'] += 1;
  if (failure !== undefined) console.log(`FAILED  ${name}\n${indent(failure)}`);
};
const context = { suite, tsc, report, only: positionals, showAll: values.all === true };
compareNames(context);
if (positionals.length === 0) {
  selfTest(context);
  checkConsumers(context);
  checkApiReleases(context);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);

function install() {
  const dependencies = JSON.parse(readFileSync(join(suite, 'package.json'), 'utf8')).dependencies;
  if (Object.entries(dependencies).every(([name, wanted]) => installed(name) === wanted.split('@').at(-1))) return;
  // npm itself is a script of the system's; nothing here comes from outside.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--silent'], {
    cwd: suite,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) fail('npm could not install test/parity/types');
}

function installed(name) {
  const file = join(suite, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

/** Puts our declarations where an application has them. */
function place() {
  const target = join(suite, 'node_modules', 'claudewire');
  rmSync(target, { recursive: true, force: true });
  copyEntryFiles(target);
  const declarations = join(target, 'dist');
  if (values['from-source'] !== true) {
    const built = resolve(root, values.dist);
    if (!existsSync(join(built, 'index.d.ts'))) fail(`no ${built}/index.d.ts: npm run build`);
    cpSync(built, declarations, { recursive: true, filter: (file) => !file.endsWith('.js') && !file.endsWith('.mjs') });
    return;
  }
  const { stdout } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', declarations], {
    cwd: root,
    encoding: 'utf8',
  });
  if (stdout !== '') console.log(`src has errors:\n${indent(stdout.trim())}`);
}

function indent(text) {
  return text.replace(/^/gm, '        ');
}

function fail(message) {
  console.error(`type parity: ${message}`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
