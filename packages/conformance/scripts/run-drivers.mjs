/**
 * Runs the conformance suite through every driver of this repository, and holds the results against the baselines.
 *
 *   npm run conformance -- [--driver NAME]... [--filter TEXT]... [--verbose] [--sdk FILE] [--draft-baselines] [--help]
 *
 * Drivers: claudewire (this SDK, built into `.build/conformance`, or FILE), claudewire-client (its client alone), raw (no SDK), official-ts (installed
 * without its binary), python (a venv) and go. FILTER is a part of a scenario's name, a level (`L0`) or a requirement. A missing Python or Go fails, unless ALLOW_NO_PYTHON=1 or ALLOW_NO_GO=1.
 * `--draft-baselines` rewrites the baselines of the drivers that were run (all scenarios): reasons that are there stay, a new failure
 * gets the difference as its reason, to be put into better words.
 * Writes `report.html`, `report.json` and `report.xml` into `.build/conformance`.
 *
 * The last line is `N passed, N failed`: one for each scenario and driver that came out as its baseline says.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { allowsNoPython, ensurePython, NoPython } from '../../../scripts/python-env.mjs';
import { buildTools } from './build-tools.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const drivers = join(folder, 'drivers');
const out = fileURLToPath(new URL('../../../.build/conformance', import.meta.url));
const INSTALL_LIMIT_MS = 180_000;
/** More than so many odd outcomes are no matter of time. */
const MAX_AGAIN = 8;

const { values } = parseArgs({
  options: {
    driver: { type: 'string', multiple: true },
    filter: { type: 'string', multiple: true, default: [] },
    sdk: { type: 'string' },
    'draft-baselines': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  const [about] = /(?<=\/\*\*\n)[\s\S]*?(?= \*\/)/.exec(readFileSync(new URL(import.meta.url), 'utf8'));
  console.log(about.replaceAll(/^ \* ?/gm, ''));
  process.exit(0);
}
const count = { passed: 0, failed: 0 };

mkdirSync(out, { recursive: true });
const { dist, sdk } = buildTools(out);
const suite = await import(pathToFileURL(join(dist, 'index.js')).href);
const data = suite.loadData(folder);
const scenarios = suite.selectScenarios(data.scenarios, { filters: values.filter });
const known = data.scenarios.map(({ name }) => name);
for (const problem of suite.coverageProblems(data)) fail(`data: ${problem}`);

/** Each gives its command line, or `undefined` when the user accepts that it cannot be run. */
const COMMANDS = {
  claudewire: () => ours(),
  'claudewire-client': () => ours('--client'),
  raw: () => [process.execPath, join(drivers, 'raw', 'driver.mjs')],
  'official-ts': installOfficial,
  python: findPython,
  go: buildGo,
};

const suites = [];
for (const name of values.driver ?? Object.keys(COMMANDS)) {
  const command = COMMANDS[name]?.();
  if (command !== undefined) suites.push(await runDriver(name, command));
}
if (suites.length > 1) console.log(`${suite.matrix(suites, data)}\n`);
writeFileSync(join(out, 'report.json'), suite.jsonReport(suites, data));
writeFileSync(join(out, 'report.html'), suite.htmlReport(suites, data));
writeFileSync(join(out, 'report.xml'), suite.junitReport(suites));
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

async function runDriver(name, command) {
  const file = join(folder, 'baselines', `${name}.json`);
  const baseline = existsSync(file) ? suite.readBaseline(file) : undefined;
  const first = await play(name, command, scenarios);
  const result = name.startsWith('claudewire') ? first : await playAgain(first, baseline, command);
  console.log(`${suite.driverReport(result, data, baseline)}\n`);
  if (values['draft-baselines']) draftBaseline(file, result, baseline);
  const asked = scenarios.map((scenario) => scenario.name);
  for (const note of suite.baselineNotes(result, baseline, data)) console.log(`note: ${name}: ${note}`);
  const problems = suite.baselineProblems(result, baseline, asked, known);
  for (const problem of problems) fail(`${name}: ${problem}`);
  count.passed += Math.max(0, result.results.length - problems.length);
  if (name === 'claudewire' && values.filter.length === 0) checkAllShown(result);
  return result;
}

function ours(...options) {
  const entry = resolve(values.sdk ?? join(sdk, 'index.js'));
  return [process.execPath, join(drivers, 'claudewire', 'driver.mjs'), '--sdk', entry, ...options];
}

function play(name, command, chosen, jobs) {
  return suite.runSuite({
    data,
    scenarios: chosen,
    name,
    command,
    ...(jobs === undefined ? {} : { jobs }),
    onResult: ({ status, scenario, ms }) => {
      if (values.verbose) console.log(`  ${name} ${status.padEnd(12)} ${scenario} ${ms} ms`);
    },
  });
}

/**
 * Other SDKs have time-outs of their own, which a slow machine trips: a few scenarios that did not come out as the
 * baseline says are played once more, one at a time. Ours gets no second try.
 */
async function playAgain(first, baseline, command) {
  const expected = baseline?.expected ?? {};
  const isOdd = (result) => suite.isFailure(result) !== Object.hasOwn(expected, result.scenario);
  const odd = new Set(first.results.filter(isOdd).map(({ scenario }) => scenario));
  if (odd.size === 0 || odd.size > MAX_AGAIN) return first;
  console.log(`note: ${first.name}: played again, one at a time: ${[...odd].join(', ')}`);
  const chosen = scenarios.filter(({ name }) => odd.has(name));
  const { results } = await play(first.name, command, chosen, 1);
  const again = new Map(results.map((result) => [result.scenario, result]));
  return { ...first, results: first.results.map((result) => again.get(result.scenario) ?? result) };
}

/** Our own driver may leave out another SDK's way of saying a thing, but no requirement. */
function checkAllShown({ results }) {
  const shown = new Set(results.filter(({ status }) => status === 'passed').flatMap((each) => each.requirements));
  for (const { id, party } of data.requirements) {
    if (party === 'host' && !shown.has(id)) fail(`claudewire: ${id} was not shown by any scenario`);
  }
}

function draftBaseline(file, result, before) {
  const { name, results } = result;
  const failures = results
    .filter(suite.isFailure)
    .map(({ scenario, reason }) => [scenario, before?.expected[scenario] ?? reason.replace(/^\S+\.jsonl:\d+: /, '')]);
  const draft = { driver: name, madeWith: suite.madeWith(result, data), expected: Object.fromEntries(failures) };
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(draft, null, 2)}\n`);
}

function fail(problem) {
  console.log(`NOT AS EXPECTED  ${problem}`);
  count.failed += 1;
}

/** Optional packages are the CLI's binaries: the player stands in for them. */
function installOfficial() {
  const folder = join(drivers, 'official-ts');
  const wanted = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies;
  const isThere = Object.entries(wanted).every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
  });
  if (!isThere) run('npm', ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  return [process.execPath, join(folder, 'driver.mjs')];
}

function findPython() {
  try {
    return [ensurePython(), '-B', join(drivers, 'python', 'driver.py')];
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    if (allowsNoPython()) console.log(`python: not run, as allowed: ${error.message}\n`);
    else fail(`python: ${error.message}. ALLOW_NO_PYTHON=1 goes on without it`);
    return undefined;
  }
}

function buildGo() {
  const driver = join(out, process.platform === 'win32' ? 'go-driver.exe' : 'go-driver');
  const { failed, code } = execaSync('go', ['build', '-o', driver, '.'], {
    cwd: join(drivers, 'go'),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: INSTALL_LIMIT_MS,
    reject: false,
  });
  if (!failed) return [driver];
  const isMissing = code === 'ENOENT';
  if (isMissing && process.env.ALLOW_NO_GO === '1') console.log('go: not run, as allowed\n');
  else fail(isMissing ? 'go: there is no Go. ALLOW_NO_GO=1 goes on without it' : 'go: the driver does not build');
  return undefined;
}

function run(command, args, cwd) {
  const { failed, shortMessage } = execaSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_LIMIT_MS,
    reject: false,
  });
  if (!failed) return;
  console.log(shortMessage);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
