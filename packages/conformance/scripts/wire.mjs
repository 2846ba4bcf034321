/**
 * Makes the table of CLI versions again: `packages/conformance/wire` and the pages in `docs/evidence`.
 *
 *   npm run wire -- [--version V]... [--only cli|sdks|build] [--column C]... [--timeout-factor N] [--cache DIR] [--fresh]
 *
 * For each version of `wire/versions.json`: installs the CLI (up to 400 MB unpacked), records it and every SDK with it in a network
 * namespace that has nothing but loopback, and removes it. Records are kept in `.build/wire/records`, so that a run that was
 * stopped goes on where it was; `--fresh` records all again. The data and the pages are made of the records at the end, and
 * by `--only build` alone; a version without a record stays as the data has it. Needs npm and pip for what it installs, no key,
 * and about 40 minutes for all, 3 for one version.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findNamespace } from '../../../scripts/namespace.mjs';
import { exitCodeOf } from '../../../scripts/run.mjs';
import { buildTools } from './build-tools.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = join(root, '.build', 'wire');
const records = join(out, 'records');
/** With the limits of a slow machine: about 150 runs of seconds. */
const RECORD_LIMIT_MS = 1_800_000;

const { values } = parseArgs({
  options: {
    version: { type: 'string', multiple: true },
    only: { type: 'string' },
    'timeout-factor': { type: 'string', default: '1' },
    cache: { type: 'string', default: join(out, 'cache') },
    column: { type: 'string', multiple: true },
    fresh: { type: 'boolean', default: false },
  },
});
const versions = JSON.parse(readFileSync(join(folder, 'wire', 'versions.json'), 'utf8'));
const known = versions.map(({ cli }) => cli);
assertKnown('--version', values.version, known, `Add its line to packages/conformance/wire/versions.json first.`);
assertKnown('--only', values.only && [values.only], ['cli', 'sdks', 'build']);
assertKnown('--column', values.column, ['ours', 'tsThen', 'tsNewest', 'pyThen', 'pyNewest']);
const cache = resolve(values.cache);
mkdirSync(records, { recursive: true });
const { dist, sdk } = buildTools(out);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { installRelease } = await load('drift/install-release.js');

if (values.only !== 'build') {
  const namespace = findNamespace();
  for (const each of versions) {
    if (values.version?.includes(each.cli) ?? true) await recordVersion(each, namespace);
  }
}
const { recordedPart, writeWireData } = await load('wire-table/write-wire-data.js');
const made = (file) => JSON.parse(readFileSync(join(folder, 'wire', file), 'utf8'));
const [table, allCells] = [made('table.json'), made('cells.json')];
const read = ({ cli }, part) => {
  const file = join(records, `${cli}-${part}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};
const parts = versions.map((each) => {
  const before = recordedPart(table, allCells, each.cli);
  return { ...each, shape: read(each, 'cli')?.cli ?? before.shape, cells: read(each, 'sdks')?.cells ?? before.cells };
});
for (const { cli, shape, cells } of parts) {
  if (shape !== undefined && cells !== undefined) continue;
  console.error(`wire: ${cli}: not recorded yet`);
  process.exitCode = 1;
}
writeWireData({ parts, folder, root, live: join(folder, 'live') });

/** What is misspelt would be recorded by nobody, and nothing would say so. */
function assertKnown(option, given = [], names, advice = '') {
  const unknown = given.find((each) => !names.includes(each));
  if (unknown === undefined) return;
  console.error(`wire: ${option} ${unknown} is not one of ${names.join(', ')}. ${advice}`.trim());
  process.exit(2);
}

async function recordVersion({ cli, ts, py }, namespace) {
  const wanted = ['cli', 'sdks'].filter((part) => {
    const isAsked = values.only === undefined || values.only === part;
    return isAsked && (values.fresh || !existsSync(join(records, `${cli}-${part}.json`)));
  });
  if (wanted.length === 0) return;
  console.log(`${cli}: ${wanted.join(', ')}`);
  const { path } = await installRelease('cli', cli, cache);
  const columns = wanted.includes('sdks') ? await sdkColumns(ts, py) : {};
  try {
    for (const part of wanted) {
      const job = join(records, `${cli}-${part}.job.json`);
      const file = join(records, `${cli}-${part}.json`);
      const facts = { version: cli, cli: path, records: [part], sdks: columns, dist, sdk, live: join(folder, 'live') };
      writeFileSync(job, JSON.stringify({ ...facts, timeoutFactor: Number(values['timeout-factor']), out: file }));
      const [command, ...args] = [...namespace, process.execPath, join(folder, 'scripts', 'wire-record.mjs'), job];
      const env = { PATH: process.env.PATH, HOME: out, TMPDIR: process.env.TMPDIR, LANG: 'C.UTF-8' };
      const code = await exitCodeOf(command, args, { cwd: out, env, timeout: RECORD_LIMIT_MS });
      rmSync(job, { force: true });
      if (code === 0) continue;
      console.error(`wire: ${cli}: ${part} ended with ${code}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(join(cache, 'cli', cli), { recursive: true, force: true });
  }
}

/** Ours, and each official SDK twice: as it was when the CLI came out, and the newest. */
async function sdkColumns(ts, py) {
  const newest = versions.at(-1);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const program = join(folder, 'drivers', 'table', 'session.mjs');
  const typescript = (release, entry) => ({ release, command: [process.execPath, program, entry] });
  const official = async (release) => typescript(release, (await installRelease('ts', release, cache)).path);
  const python = async (release) => {
    const { path, python } = await installRelease('py', release, cache);
    const command = [python, '-B', join(folder, 'drivers', 'table', 'session.py')];
    return { release, command, env: { PYTHONPATH: path } };
  };
  const columns = {
    ours: () => typescript(version, join(sdk, 'index.js')),
    tsThen: () => official(ts),
    tsNewest: () => official(newest.ts),
    pyThen: () => python(py),
    pyNewest: () => python(newest.py),
  };
  const wanted = Object.entries(columns).filter(([name]) => values.column?.includes(name) ?? true);
  const found = {};
  // One after the other: two releases may need the same environment.
  for (const [name, column] of wanted) found[name] = await column();
  return found;
}
