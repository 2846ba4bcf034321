/**
 * Mutation test of the conformance suite: builds the SDK with one bug at a time (test/mutation) and runs the scenarios on
 * it through the claudewire driver, those of the bug's level first, until one fails.
 *
 *   node scripts/mutants.mjs [--only NAME]... [--level L3]... [--jobs N] [--full FILE] [--remember]
 *
 * The scenario that found a bug last time is tried first. A bug that no scenario notices, tried again by itself, fails, and
 * so does one that no longer fits the source.
 * `--full` runs every scenario on every mutant, fails for those that leave less than half of them green, and writes FILE.
 * `--remember` writes test/mutation/killers.json, which only says what to try first.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { applyMutant, replacing, sourceIndex } from '../test/mutation/apply.mjs';
import { mutants } from '../test/mutation/index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where the conformance suite is. */
const SUITE = {
  runSuite: './packages/conformance/src/runner/run-suite.ts',
  loadData: './packages/conformance/src/data/load-data.ts',
  player: 'packages/cli/src/replay/main.ts',
  data: join(root, 'packages', 'conformance'),
  drivers: join(root, 'packages', 'conformance', 'drivers'),
};
const work = join(root, '.build', 'mutants', String(process.pid));
const PER_LEVEL = 5;
const killersFile = join(root, 'test', 'mutation', 'killers.json');
/** By mutant: the scenario that found it last time. */
const killers = JSON.parse(readFileSync(killersFile, 'utf8'));

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    level: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '10' },
    full: { type: 'string' },
    remember: { type: 'boolean', default: false },
  },
});

const shared = {
  absWorkingDir: root,
  bundle: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'error',
};

const problems = [];
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const index = sourceIndex();
const fitting = fittingMutants();
const { runSuite, loadData } = await buildRunner();
// A copy: a run takes minutes, and the scenarios may change meanwhile.
cpSync(SUITE.data, join(work, 'data'), { recursive: true, filter: (path) => !path.startsWith(SUITE.drivers) });
const data = loadData(join(work, 'data'));
const began = performance.now();
const originalSdk = await buildSdk();
/** Names of the scenarios that can kill. Of a whole run those that pass without a mutant, the quickest first. */
const green = values.full === undefined ? data.scenarios.map(({ name }) => name) : await originalResults();
const chosen = fitting.filter(
  ({ name, level }) =>
    (values.only === undefined || values.only.includes(name)) &&
    (values.level === undefined || values.level.includes(level)),
);
/** Scenarios that passed twice without a mutant: those that found the mutants last time. */
const stable = values.full === undefined ? await stableKillers() : new Set();
const rows = [];
// Most of the time is spent waiting for what a broken SDK no longer does, longest in the last levels: these come first.
await inParallel(chosen.toReversed(), Number(values.jobs), async (mutant) => {
  const row = await tryMutant(mutant);
  rows.push(row);
  say(row);
});
// On a busy machine the scenario that finds a bug can fail without the bug too, and then counts for nothing.
for (const [place, { name, killedBy }] of rows.entries()) {
  if (killedBy.length > 0 || values.full !== undefined) continue;
  console.log(`   ${name} is tried again, alone`);
  const row = await tryMutant(chosen.find((mutant) => mutant.name === name));
  rows[place] = row;
  say(row);
}
if (values.full !== undefined) {
  rows.sort((a, b) => a.level.localeCompare(b.level) || a.name.localeCompare(b.name));
  writeFileSync(resolve(values.full), `${JSON.stringify(rows, null, 2)}\n`);
}
if (values.remember) {
  const found = rows.flatMap(({ name, killedBy: [first] }) => (first ? [[name, first]] : []));
  const merged = Object.entries({ ...killers, ...Object.fromEntries(found) })
    .filter(([name]) => mutants.some((mutant) => mutant.name === name))
    .sort(([a], [b]) => a.localeCompare(b));
  writeFileSync(killersFile, `${JSON.stringify(Object.fromEntries(merged), null, 2)}\n`);
}
summarise();
rmSync(work, { recursive: true, force: true });

/** Every mutant has to fit the source, and every level has its share. */
function fittingMutants() {
  for (const level of new Set(mutants.map((mutant) => mutant.level))) {
    const count = mutants.filter((mutant) => mutant.level === level).length;
    if (count < PER_LEVEL) problems.push(`${level} has ${count} mutants, not ${PER_LEVEL}`);
  }
  return mutants.filter((mutant) => {
    try {
      applyMutant(mutant, index);
      return true;
    } catch (error) {
      problems.push(error.message);
      return false;
    }
  });
}

async function buildRunner() {
  await build({
    ...shared,
    stdin: {
      contents: `export { runSuite } from '${SUITE.runSuite}'; export { loadData } from '${SUITE.loadData}';`,
      resolveDir: root,
    },
    outfile: join(work, 'runner.mjs'),
  });
  await build({ ...shared, entryPoints: [SUITE.player], outfile: join(work, 'player.mjs') });
  chmodSync(join(work, 'player.mjs'), 0o755);
  return import(pathToFileURL(join(work, 'runner.mjs')).href);
}

/** The scenarios that the SDK as it is passes. All have to: what fails anyway kills nothing. */
async function originalResults() {
  const { results } = await suite(originalSdk, { scenarios: data.scenarios, jobs: Number(values.jobs) });
  for (const { scenario, status, reason } of results) {
    // Another SDK's way of saying the same: `npm run conformance` checks that every requirement was shown.
    if (status === 'unsupported') continue;
    if (status !== 'passed') problems.push(`without a mutant, ${scenario}: ${status}, ${reason}`);
  }
  const passed = results.filter(({ status }) => status === 'passed').toSorted((a, b) => a.ms - b.ms);
  console.log(`without a mutant ${passed.length} of ${data.scenarios.length} scenarios pass`);
  return passed.map(({ scenario }) => scenario);
}

/**
 * The scenarios that found the mutants last time, if they pass twice without a mutant: together, so that one driver serves
 * many. That all others pass is what `npm run conformance` checks.
 */
async function stableKillers() {
  const names = new Set(chosen.map(({ name }) => killers[name]));
  const scenarios = data.scenarios.filter(({ name }) => names.has(name));
  const options = { scenarios, jobs: Number(values.jobs) };
  const runs = [await suite(originalSdk, options), await suite(originalSdk, options)];
  const passes = ({ name }) =>
    runs.every(({ results }) => results.some(({ scenario, status }) => scenario === name && status === 'passed'));
  return new Set(scenarios.filter(passes).map(({ name }) => name));
}

async function tryMutant(mutant) {
  const start = performance.now();
  const sdk = await buildSdk(mutant);
  const byName = new Map(data.scenarios.map((entry) => [entry.name, entry]));
  const usable = green.map((name) => byName.get(name));
  const rank = ({ name, level }) => (name === killers[mutant.name] ? 0 : level === mutant.level ? 1 : 2);
  // Stable: within a rank the quickest stay first.
  const scenarios = usable.toSorted((a, b) => rank(a) - rank(b));
  const { name, level } = mutant;
  const { failures, run } =
    values.full === undefined ? await firstKill(sdk, scenarios) : await allKills(sdk, scenarios);
  rmSync(sdk, { force: true });
  return {
    name,
    level,
    killedBy: failures,
    run,
    // Of a whole run only: after the first kill the rest is not known.
    ...(values.full === undefined ? {} : { green: run - failures.length }),
    ms: Math.round(performance.now() - start),
  };
}

/** A scenario that fails once may have met a busy machine: it kills when it fails again, and passes twice without the mutant. */
async function firstKill(sdk, scenarios) {
  let run = 0;
  while (run < scenarios.length) {
    const { results } = await suite(sdk, { scenarios: scenarios.slice(run), jobs: 1, bail: true });
    run += results.length;
    const last = results.at(-1);
    if (last === undefined) break;
    if (!isKill(last)) continue;
    const again = { scenarios: [scenarios[run - 1]], jobs: 1 };
    const mutated = await suite(sdk, again);
    if (mutated.results.every(isKill) && (stable.has(last.scenario) || (await passesTwice(again)))) {
      return { failures: [last.scenario], run };
    }
    console.log(`   ${last.scenario} failed once and not again, or without a mutant too`);
  }
  return { failures: [], run };
}

/** Twice: what fails now and then without a mutant, too, would else count now and then. */
async function passesTwice(options) {
  for (let run = 1; run <= 2; run += 1) {
    const { results } = await suite(originalSdk, options);
    if (!results.every(({ status }) => status === 'passed')) return false;
  }
  return true;
}

async function allKills(sdk, scenarios) {
  const { results } = await suite(sdk, { scenarios, jobs: 1 });
  return { failures: results.filter(isKill).map(({ scenario }) => scenario), run: results.length };
}

function isKill({ status }) {
  return status === 'failed' || status === 'driver_error';
}

function suite(sdk, options) {
  return runSuite({
    data,
    command: [process.execPath, join(SUITE.drivers, 'claudewire', 'driver.mjs'), '--sdk', sdk],
    player: join(work, 'player.mjs'),
    ...options,
  });
}

/** @returns the path of the SDK in one file, with the bug of the mutant, if any. */
async function buildSdk(mutant) {
  const outfile = join(work, `${mutant?.name ?? 'original'}.mjs`);
  const mutated = mutant && applyMutant(mutant, index);
  await build({
    ...shared,
    entryPoints: ['src/index.ts'],
    outfile,
    plugins: mutated === undefined ? [] : [replacing(mutated)],
  });
  return outfile;
}

async function inParallel(items, limit, work) {
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

function say({ name, level, killedBy: [first, ...more], run, ms }) {
  const who =
    first === undefined ? `SURVIVED ${run} scenarios` : `${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  console.log(`${level} ${name.padEnd(42)} ${who}  ${(ms / 1000).toFixed(1)} s`);
}

function summarise() {
  for (const { name, killedBy, run, green: left } of rows) {
    if (killedBy.length === 0) problems.push(`${name} survived`);
    if (left !== undefined && left * 2 < run) {
      problems.push(`${name} leaves ${left} of ${run} scenarios green, less than half`);
    }
  }
  const killed = rows.filter(({ killedBy }) => killedBy.length > 0).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${killed} of ${rows.length} mutants killed in ${seconds} s`);
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${killed} passed, ${problems.length} failed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
