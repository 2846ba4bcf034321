/**
 * Runs every host that deviates from a requirement against the real CLI, and writes what came of it into
 * `packages/conformance/deviations/outcomes.json` and docs/evidence/deviations.md. Prints what differs from the outcomes of before.
 *
 *   npm run deviations -- [--filter TEXT]... [--timeout-factor N] [--check] [--page] [--verbose]
 *
 * `--filter`: a part of a name, or an id; the outcomes of the others stay. `--check` writes nothing, and fails when an outcome changed.
 * `--page` writes the page alone. The CLI is that of `test/live`, in a network namespace that has nothing but loopback. About ten minutes;
 * by hand, not in `.ci/run`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { findNamespace, platformName } from '../../../scripts/namespace.mjs';
import { exitCodeOf } from '../../../scripts/run.mjs';
import { buildTools } from './build-tools.mjs';
import { writeDeviationsPage } from './deviations-doc.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = join(root, '.build', 'deviations');
const stored = join(folder, 'deviations', 'outcomes.json');
const RUN_LIMIT_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    filter: { type: 'string', multiple: true, default: [] },
    'timeout-factor': { type: 'string', default: '1' },
    check: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
if (!values.page) await run();
if (!values.check) writeDeviationsPage();

async function run() {
  mkdirSync(out, { recursive: true });
  const { dist, sdk } = buildTools(out);
  const cli = join(root, 'test/live/node_modules/@anthropic-ai', `claude-code-${platformName()}`, 'claude');
  const job = join(out, 'job.json');
  const result = join(out, 'result.json');
  rmSync(result, { force: true });
  const { filter, verbose } = values;
  const facts = { cli, dist, sdk, folder: join(folder, 'deviations'), filter, verbose, out: result };
  writeFileSync(job, JSON.stringify({ ...facts, timeoutFactor: Number(values['timeout-factor']) }));
  const env = { PATH: process.env.PATH, HOME: out, TMPDIR: process.env.TMPDIR, LANG: 'C.UTF-8' };
  const version = execaSync(cli, ['--version'], { extendEnv: false, env, timeout: 60_000 }).stdout.split(' ')[0];
  const [command, ...args] = [...findNamespace(), process.execPath, join(folder, 'scripts', 'deviations-run.mjs'), job];
  const code = await exitCodeOf(command, args, { cwd: out, env, timeout: RUN_LIMIT_MS });
  if (code !== 0) throw new Error(`the runs ended with ${code}`);
  const { outcomes, census } = JSON.parse(readFileSync(result, 'utf8'));
  const before = existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : { outcomes: {} };
  const { readDeviations } = await import(pathToFileURL(join(dist, 'deviations', 'deviation.js')).href);
  const names = readDeviations(join(folder, 'deviations')).flatMap(({ groups }) =>
    groups.flatMap(({ deviations }) => deviations.map(({ name }) => name)),
  );
  const date = new Date().toISOString().slice(0, 10);
  const changes = Object.keys(outcomes).filter((name) => before.outcomes[name]?.outcome !== outcomes[name].outcome);
  for (const name of changes)
    console.log(`${name}: ${before.outcomes[name]?.outcome ?? 'new'} -> ${outcomes[name].outcome}`);
  console.log(`${Object.keys(outcomes).length} deviations of CLI ${version}, ${changes.length} outcomes changed`);
  if (values.check) {
    process.exitCode = changes.length === 0 ? 0 : 1;
    return;
  }
  const isPart = filter.length > 0;
  const dated = isPart
    ? Object.fromEntries(Object.entries(outcomes).map(([name, one]) => [name, { ...one, date }]))
    : outcomes;
  const known = { ...before.outcomes, ...dated };
  const kept = Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name]]));
  // A part of the runs adds to what was seen before.
  const sum = ([name, count]) => [name, count + (isPart ? (before.census?.[name] ?? 0) : 0)];
  const counts = Object.fromEntries(Object.entries(census).map(sum));
  writeFileSync(
    stored,
    `${JSON.stringify({ cli: version, date: isPart ? before.date : date, census: counts, outcomes: kept }, null, 2)}\n`,
  );
}
