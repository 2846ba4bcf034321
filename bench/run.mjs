/**
 * Measures claudewire beside a plain-Node floor, in one run, interleaved:
 *
 *   npm run bench [-- NAME ...] [--reps N] [--json FILE] [--official DIR] [--dist DIR]
 *
 * NAME is a case or the beginning of several (`small`, `tool`); none means all. `--official` adds the
 * `@anthropic-ai/claude-agent-sdk` installed in `DIR/node_modules`. `--dist` takes a build that is there;
 * without it the package is built. Exits with 1 when a run failed: figures of a run that lost a frame are none.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES } from './cases.mjs';
import { createQuickCli } from './quick-cli.mjs';
import { toRow, toTable } from './report.mjs';
import { canPin, runOnce } from './runner.mjs';
import { TARGETS } from './targets.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OWN_BUILD = '.build/bench/dist';

const { values: flags, positionals } = readArguments();
const reps = Number(flags.reps);
if (!Number.isInteger(reps) || reps < 1) fail(`--reps must be a whole number from 1 on, got ${flags.reps}`);
const cases = select(positionals);
const dist = flags.dist === undefined ? build() : resolve(flags.dist);
const env = { BENCH_DIST: dist, ...(flags.official !== undefined && { BENCH_OFFICIAL: resolve(flags.official) }) };
const contenders = ['raw', 'claudewire', ...(flags.official === undefined ? [] : ['official'])];

const machine = describeMachine();
console.error(`${machine.summary}\n${cases.length} cases, ${reps} repetitions, ${contenders.join(', ')}`);
const { figures, failures } = await measureAll();
const rows = cases.map(([name, definition]) => toRow(name, definition, figures[name], TARGETS[name]));
console.log(toTable(rows));
for (const failure of failures) console.error(`FAILED ${failure}`);
if (flags.json !== undefined) {
  const report = { machine, reps, date: new Date().toISOString(), rows, failures };
  writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`);
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** All cases once, then all again: slow changes of the machine reach every contender alike. */
async function measureAll() {
  const quick = createQuickCli();
  const figures = {};
  const failures = [];
  try {
    for (let rep = 0; rep < reps; rep += 1) {
      for (const [name, definition] of cases) {
        if (definition.once && rep > 0) continue;
        const run = { ...definition, params: { ...definition.params } };
        if (definition.quick) {
          Object.assign(run.params, { cliFile: quick.file, frames: quick.frames });
        }
        figures[name] ??= {};
        for (const contender of turned(contendersOf(definition), rep)) {
          figures[name][contender] ??= [];
          // What earlier processes left in the temporary directory of the machine is not for these to look at.
          const outcome = await runOnce(contender, run, { env: { ...env, TMPDIR: quick.tmp } });
          if (outcome.error === undefined) figures[name][contender].push(outcome.value);
          else failures.push(`${name}, ${contender}, repetition ${rep}: ${outcome.error}`);
        }
        console.error(`${rep + 1}/${reps} ${name}`);
      }
    }
  } finally {
    quick.remove();
  }
  return { figures, failures };
}

function contendersOf(definition) {
  return contenders.filter((name) => definition.contenders?.includes(name) ?? true);
}

/** Nobody always goes first. */
function turned(list, by) {
  const first = by % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}

function select(names) {
  const all = Object.entries(CASES).filter(([, definition]) => !(definition.quick && process.platform === 'win32'));
  if (names.length === 0) return all;
  const exact = all.filter(([name]) => names.includes(name));
  const rest = names.filter((name) => !(name in CASES));
  const begun = all.filter(([name]) => rest.some((start) => name.startsWith(start)));
  const chosen = new Map([...exact, ...begun]);
  if (chosen.size === 0) fail(`No such case. There are: ${Object.keys(CASES).join(', ')}`);
  return all.filter(([name]) => chosen.has(name));
}

function build() {
  const args = [join(ROOT, 'scripts/build.mjs'), '--out-dir', OWN_BUILD];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('the package could not be built');
  return join(ROOT, OWN_BUILD);
}

function describeMachine() {
  const cores = cpus();
  const facts = {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: process.platform,
    node: process.version,
    loadAverage: loadavg()[0],
    pinned: canPin,
  };
  const summary = `${facts.cores} x ${facts.cpu}, ${facts.memoryGb} GB, ${facts.platform}, Node ${facts.node}, load ${facts.loadAverage.toFixed(2)}, ${canPin ? 'one-core cases pinned' : 'NOT pinned: taskset is missing'}`;
  return { ...facts, summary };
}

function readArguments() {
  const options = {
    reps: { type: 'string', default: '5' },
    json: { type: 'string' },
    official: { type: 'string' },
    dist: { type: 'string' },
  };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return fail(error.message);
  }
}

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}
