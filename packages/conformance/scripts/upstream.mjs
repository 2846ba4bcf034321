/**
 * Compares the newest releases on npm and PyPI with the pinned ones, and prints what has to be done to follow them: exports, types,
 * options, flags, frames. By hand or on a schedule; not part of `.ci/run`.
 *
 *   npm run upstream -- [--pin cli@V|ts@V|py@V]... [--answers FILE] [--cache DIR] [--out FILE] [--timeout-factor N] [--shallow]
 *
 * `--pin` takes another release for the pinned one. `--shallow` only names the releases: nothing is installed. `--answers` takes what the
 * registries and the releases say from a file, and CLIs from the table in `wire/`: nothing is installed or asked.
 *
 * Exits with 0 when nothing is new, with 1 when there is something to follow, with 2 when a registry cannot be asked.
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
  },
});
mkdirSync(out, { recursive: true });
const { dist } = buildTools(out);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const [pinning, { checkUpstream }, { surfaceChanges }, { sdkSurface }, { installRelease }, table, { compareClis }] =
  await Promise.all(
    [
      'upstream/pins.js',
      'upstream/check-upstream.js',
      'upstream/surface-changes.js',
      'drift/sdk-surface.js',
      'drift/install-release.js',
      'wire-table/wire-table.js',
      'drift/compare-clis.js',
    ].map(load),
  );

try {
  const answers = values.answers === undefined ? undefined : JSON.parse(readFileSync(values.answers, 'utf8'));
  const pins = pinning.withPins(
    pinning.readPins((file) => readFileSync(join(root, file), 'utf8')),
    values.pin,
  );
  const newest = answers?.newest ?? askRegistries();
  const changesOf = (kind, from, to) =>
    values.shallow ? [] : findChanges({ kind, pinned: from, newest: to }, answers);
  const { list, isRed } = await checkUpstream(pins, newest, changesOf, answers === undefined ? placesOf : () => []);
  if (values.out !== undefined) writeFileSync(resolve(values.out), list);
  console.log(list.trimEnd());
  process.exitCode = isRed ? 1 : 0;
} catch (error) {
  console.error(`upstream: ${error.message}`);
  process.exitCode = 2;
}

function askRegistries() {
  const npm = (name) => ask('npm', ['view', name, 'version', '--silent']).trim();
  return {
    cli: npm('@anthropic-ai/claude-code'),
    ts: npm('@anthropic-ai/claude-agent-sdk'),
    py: pinning.newestOnPypi(ask('python3', ['-m', 'pip', 'index', 'versions', 'claude-agent-sdk'])),
  };
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
  const surface = async (version) =>
    answers?.surfaces[`${kind}@${version}`] ??
    sdkSurface(await installRelease(kind, version, resolve(values.cache)), join(folder, 'drivers', 'table'));
  return surfaceChanges(await surface(pinned), await surface(newest));
}

function tableChanges(pinned, newest) {
  const recorded = JSON.parse(readFileSync(join(folder, 'wire', 'table.json'), 'utf8'));
  return compareClis(table.shapeAt(recorded, pinned), table.shapeAt(recorded, newest));
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
