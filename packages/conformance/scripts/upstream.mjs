/**
 * Compares the newest releases on npm and PyPI with the pinned ones, and prints what has to be done to follow them: exports, types,
 * options, flags, frames. By hand or on a schedule; not part of `.ci/run`.
 *
 *   npm run upstream -- [--pin cli@V|ts@V|py@V]... [--answers FILE] [--cache DIR] [--out FILE] [--timeout-factor N] [--shallow]
 *   npm run upstream -- --from A [--to B] [--kind ts|py] [--cache DIR] [--out FILE]
 *   npm run upstream -- --check [--cache DIR]
 *
 * `--pin` takes another release for the pinned one. `--shallow` only names the releases: nothing is installed. `--answers` takes what the
 * registries say, and the facts that each release declares, from a file, and CLIs from the table in `wire/`: nothing is installed
 * or asked.
 *
 * `--from` prints everything that one release of an SDK declares otherwise than another: additions, changes, removals. `--to` is the
 * newest release when it is not given. `--check` judges the reader of declarations by a second one over a row of releases.
 *
 * Exits with 0 when nothing is new, with 1 when there is something to follow (`--check`: to mend), with 2 when a registry cannot be
 * asked or there is no such release.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { buildTools } from './build-tools.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = join(root, '.build', 'upstream');
const ASK_LIMIT_MS = 120_000;
const RECORD_LIMIT_MS = 1_800_000;

const { values } = parseArgs({
  options: {
    pin: { type: 'string', multiple: true, default: [] },
    answers: { type: 'string' },
    cache: { type: 'string', default: join(out, 'cache') },
    out: { type: 'string' },
    'timeout-factor': { type: 'string', default: '1' },
    shallow: { type: 'boolean', default: false },
    from: { type: 'string' },
    to: { type: 'string' },
    kind: { type: 'string', default: 'ts' },
    check: { type: 'boolean', default: false },
  },
});
mkdirSync(out, { recursive: true });
const { dist } = buildTools(out);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const modules = await Promise.all(
  [
    'upstream/pins.js',
    'upstream/check-upstream.js',
    'drift/surface-changes.js',
    'drift/installed-surface.js',
    'drift/install-release.js',
    'drift/published-releases.js',
    'drift/compare-clis.js',
    'surface/read-declarations.js',
    'surface/compare-surfaces.js',
    'surface/surface-report.js',
    'wire-table/wire-table.js',
  ].map(load),
);
const code = Object.assign({}, ...modules);
const programs = join(folder, 'drivers', 'table');

try {
  if (values.check) process.exitCode = (await check()) ? 0 : 1;
  else if (values.from !== undefined) process.exitCode = (await compare()) ? 1 : 0;
  else process.exitCode = (await listWork()) ? 1 : 0;
} catch (error) {
  console.error(`upstream: ${error.message}`);
  process.exitCode = 2;
}

/** Whether there is something to follow. */
async function listWork() {
  const answers = values.answers === undefined ? undefined : JSON.parse(readFileSync(values.answers, 'utf8'));
  const pins = code.withPins(
    code.readPins((file) => readFileSync(join(root, file), 'utf8')),
    values.pin,
  );
  const newest = answers?.newest ?? askRegistries();
  const changesOf = (kind, from, to) =>
    values.shallow ? [] : findChanges({ kind, pinned: from, newest: to }, answers);
  const { list, isRed } = await code.checkUpstream(
    pins,
    newest,
    changesOf,
    answers === undefined ? placesOf : () => [],
  );
  print(list);
  return isRed;
}

/** Whether the two releases of an SDK differ. */
async function compare() {
  const kind = values.kind;
  if (kind !== 'ts' && kind !== 'py')
    throw new Error(`--kind is ts or py, got ${kind}: for CLIs there is claudewire-conformance drift`);
  const parse = (text) => code.parseRelease(text.includes('@') ? text : `${kind}@${text}`);
  const before = parse(values.from);
  const now = parse(values.to ?? `${before.kind}@${askRegistry(before.kind)}`);
  if (before.kind !== now.kind || before.kind === 'cli') throw new Error('--from and --to are two releases of one SDK');
  const [old, young] = [await surfaceOf(before.kind, before.version), await surfaceOf(now.kind, now.version)];
  const changes = code.compareSurfaces(old, young);
  print(code.surfaceText(`${before.kind}@${before.version} to ${now.version}`, changes));
  return changes.length > 0;
}

async function check() {
  const { checkReaders } = await import('./upstream/check.mjs');
  const newest = { ts: askRegistry('ts'), py: askRegistry('py') };
  return checkReaders({ code, newest, cache: resolve(values.cache), programs });
}

function print(text) {
  if (values.out !== undefined) writeFileSync(resolve(values.out), text);
  console.log(text.trimEnd());
}

function askRegistries() {
  return Object.fromEntries(['cli', 'ts', 'py'].map((kind) => [kind, askRegistry(kind)]));
}

/** The newest release. */
function askRegistry(kind) {
  const name = code.PACKAGES[kind];
  if (kind !== 'py') return ask('npm', ['view', name, 'version', '--silent']).trim();
  return code.newestOnPypi(ask('python3', ['-m', 'pip', 'index', 'versions', name]));
}

function ask(command, args) {
  const { failed, stdout, shortMessage } = execaSync(command, args, {
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: ASK_LIMIT_MS,
    reject: false,
  });
  if (failed) throw new Error(shortMessage);
  return stdout;
}

/** Files under version control that name a release, but for what was recorded with it, what a command makes, and tests: those fail. */
function placesOf(version) {
  const data = ['scenarios', 'live', 'wire', 'vectors'].map((name) => `packages/conformance/${name}`);
  const recorded = [...data, 'test/fixtures/recordings', 'packages/cli/src/demo', 'examples/scripts'];
  const tests = ['test/**/*.ts', 'packages/conformance/test'];
  const left = [...recorded, ...tests, 'src/util/cli-versions.ts', 'docs/evidence', 'CHANGELOG.md'];
  const { stdout, exitCode, shortMessage } = execaSync(
    'git',
    [
      'grep',
      '--name-only',
      '--fixed-strings',
      '--word-regexp',
      '-e',
      version,
      '--',
      '.',
      ...left.map((path) => `:!${path}`),
    ],
    { cwd: root, stdin: 'ignore', timeout: ASK_LIMIT_MS, reject: false },
  );
  // 1: nothing was found.
  if (exitCode !== 0 && exitCode !== 1) throw new Error(shortMessage);
  return stdout.split('\n').filter((line) => line !== '');
}

async function findChanges({ kind, pinned, newest }, answers) {
  if (kind === 'cli') return answers === undefined ? recordClis(pinned, newest) : tableChanges(pinned, newest);
  const facts = (version) => answers?.surfaces[`${kind}@${version}`] ?? surfaceOf(kind, version);
  return code.surfaceChanges(await facts(pinned), await facts(newest));
}

async function surfaceOf(kind, version) {
  return code.installedSurface(await code.installRelease(kind, version, resolve(values.cache)), programs);
}

function tableChanges(pinned, newest) {
  const recorded = JSON.parse(readFileSync(join(folder, 'wire', 'table.json'), 'utf8'));
  return code.compareClis(code.shapeAt(recorded, pinned), code.shapeAt(recorded, newest));
}

/** The command that a user would run. */
function recordClis(pinned, newest) {
  const file = join(out, 'drift.json');
  rmSync(file, { force: true });
  const program = join(dist, 'bin', 'claudewire-conformance.js');
  const factor = values['timeout-factor'];
  const flags = [
    '--cache',
    values.cache,
    '--data',
    folder,
    '--timeout-factor',
    factor,
    '--format',
    'json',
    '--out',
    file,
  ];
  const { exitCode, shortMessage } = execaSync(process.execPath, [program, 'drift', pinned, newest, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: RECORD_LIMIT_MS,
    reject: false,
  });
  if (exitCode !== 0 && exitCode !== 1) throw new Error(shortMessage);
  return JSON.parse(readFileSync(file, 'utf8')).changes;
}
