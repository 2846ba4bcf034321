/**
 * Writes the first driver of each language with `init`, builds it, and plays L0 over it, as somebody does who begins. Then the
 * Perl driver, which was written from the docs alone.
 *
 *   node packages/conformance/scripts/first-drivers.mjs [LANGUAGE]...
 *
 * A missing Rust, Python or Perl fails, unless ALLOW_NO_RUST=1, ALLOW_NO_PYTHON=1 or ALLOW_NO_PERL=1. The crate that the Rust
 * template needs comes from its registry. The last line is `N passed, N failed`: scenarios that passed, and whatever went wrong.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execaSync } from 'execa';
import { parseArgsStringToArgv } from 'string-argv';
import { buildTools } from './build-tools.mjs';

const BUILD_LIMIT_MS = 280_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, '.build', 'first-drivers');

/** The program that each needs, and the variable that lets a machine without it pass. */
const NEEDS = {
  typescript: ['node', undefined],
  python: ['python3', 'ALLOW_NO_PYTHON'],
  rust: ['cargo', 'ALLOW_NO_RUST'],
  perl: ['perl', 'ALLOW_NO_PERL'],
};

mkdirSync(out, { recursive: true });
const { dist } = buildTools(out);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const suite = await load('index.js');
const { writeFirstDriver } = await load('init/first-driver.js');
const data = suite.loadData(folder);
const scenarios = suite.selectScenarios(data.scenarios, { levels: ['L0'] });
const count = { passed: 0, failed: 0 };

const scratch = mkdtempSync(join(tmpdir(), 'cw-first-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
const asked = process.argv.slice(2);
for (const language of asked.length > 0 ? asked : Object.keys(NEEDS)) await check(language);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

async function check(language) {
  if (NEEDS[language] === undefined) throw new Error(`no ${language}; there are ${Object.keys(NEEDS).join(', ')}`);
  const [program, allowed] = NEEDS[language];
  const version = execaSync(program, ['--version'], { reject: false, timeout: 60_000 });
  if (version.code === 'ENOENT') {
    if (allowed !== undefined && process.env[allowed] === '1') console.log(`${language}: not run, as allowed\n`);
    else fail(language, `there is no ${program}${allowed === undefined ? '' : `. ${allowed}=1 goes on without it`}`);
    return;
  }
  const began = performance.now();
  let command;
  try {
    command = language === 'perl' ? ['perl', join(folder, 'drivers', 'perl', 'driver.pl')] : written(language);
  } catch (error) {
    fail(language, error.message);
    return;
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const result = await suite.runSuite({ data, scenarios, name: language, command });
  console.log(`${suite.driverReport(result, data)}\n  written and built in ${seconds} s\n`);
  const passed = result.results.filter(({ status }) => status === 'passed').length;
  const failed = result.results.filter(suite.isFailure).length;
  count.passed += passed;
  count.failed += failed;
  const excused = result.results.filter(({ missing }) => missing?.includes('an SDK'));
  for (const { scenario, reason } of excused) fail(language, `${scenario}: ${reason}`);
  if (passed === 0) fail(language, 'nothing has passed');
}

/** The command line of the driver that `init` writes, built as `init` says. */
function written(language) {
  const cwd = join(scratch, language);
  const { build, driver } = writeFirstDriver(language, cwd, folder);
  // Kept from run to run: crates are compiled once.
  const env = { CARGO_TARGET_DIR: join(out, 'rust') };
  for (const line of build) {
    const [program, ...args] = parseArgsStringToArgv(line);
    execaSync(program, args, { cwd, env, timeout: BUILD_LIMIT_MS });
  }
  const [program, ...args] = parseArgsStringToArgv(driver);
  const isPath = program.startsWith('./');
  const file = isPath ? join(cwd, program).replace(join(cwd, 'target'), env.CARGO_TARGET_DIR) : program;
  return [file, ...args.map((arg) => join(cwd, arg))];
}

function fail(language, why) {
  console.log(`FAILED  ${language}: ${why}\n`);
  count.failed += 1;
}
