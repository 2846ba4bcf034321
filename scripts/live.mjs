/**
 * Runs the live tests: the SDK against real releases of the CLI, which talk to a scripted API on the
 * loopback interface. No key, no network.
 *
 *   node scripts/live.mjs [arguments for vitest]
 *
 * Installs `test/live` (the only step that needs a registry), checks that the binaries are the pinned ones, and
 * runs vitest in a network namespace that has nothing but loopback. On Linux a machine that cannot make one
 * fails; elsewhere the tests run without it. The tests of isolation need bubblewrap, socat and curl on Linux.
 * ALLOW_NO_LIVE=1 turns "cannot run here" into a note.
 *
 * The attacks on the sandbox (`test/live/attacks`) run a second time as another user, who is not root.
 *
 * vitest's report stays in `.build/reports/live.json`, for `scripts/adapter-rows.mjs`. The last line is `N passed, N failed`. Exits with 1
 * when anything failed.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import {
  CannotRun,
  findNamespace,
  findNamespaceOfUser,
  findSandboxProblem,
  npmCi,
  platformName,
} from './namespace.mjs';
import { allowsNoPython, ensurePython, NoPython } from './python-env.mjs';
import { exitCodeOf } from './run.mjs';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const live = join(root, 'test', 'live');
/** Of long runs, whose figures are on the evidence pages. Each has a short form, which is a part of the tests. */
const SIZES = ['APPROVALS', 'ROLLING_JOBS', 'TURNS', 'KILLS', 'SEED'];
const TEST_LIMIT_MS = SIZES.some((name) => process.env[name]) ? 10_800_000 : 1_800_000;
/** Home of whatever runs here, so that nothing is written or read elsewhere. A short name: sockets lie below it. */
const scratch = mkdtempSync(join(tmpdir(), 'cw-live-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));

try {
  const binaries = findBinaries();
  if (!binaries.every(isPinned)) {
    console.log('> npm ci, in test/live');
    npmCi(live);
    for (const binary of binaries) {
      if (!isPinned(binary)) throw new CannotRun(`${binary.path} is not ${binary.version}`);
    }
  }
  for (const { name, version } of binaries) console.log(`  ${name} CLI: ${version}`);
  const sdks = { official: findOfficial(), python: findPython() };
  const args = process.argv.slice(2);
  const counts = [await runTests(binaries, sdks, args)];
  const wantsAttacks = args.length === 0 || args.some((arg) => arg.includes('attack'));
  if (wantsAttacks && process.platform === 'linux') counts.push(await runAttacks(binaries));
  finish(counts.reduce(added));
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  const isAllowed = process.env.ALLOW_NO_LIVE === '1';
  console.error(`live tests cannot run here: ${error.message}`);
  if (!isAllowed) console.error('  (ALLOW_NO_LIVE=1 accepts that)');
  finish({ passed: 0, failed: isAllowed ? 0 : 1, skipped: 0 });
}

/** The pinned releases: one carries a native binary in its platform package, the old one is a script. */
function findBinaries() {
  const { dependencies } = JSON.parse(readFileSync(join(live, 'package.json'), 'utf8'));
  const native = join('@anthropic-ai', `claude-code-${platformName()}`);
  return [
    { name: 'current', file: join(native, process.platform === 'win32' ? 'claude.exe' : 'claude'), runtime: [] },
    { name: 'oldest', file: join('claude-code-oldest', 'cli.js'), runtime: [process.execPath] },
  ].map(({ name, file, runtime }) => {
    const path = join(live, 'node_modules', file);
    const version = dependencies[`claude-code-${name}`].split('@').at(-1);
    return { name, path, version, command: [...runtime, path] };
  });
}

function isPinned({ command: [executable, ...args], version }) {
  const { stdout } = execaSync(executable, [...args, '--version'], {
    timeout: 60_000,
    extendEnv: false,
    env: { PATH: process.env.PATH, HOME: scratch, DISABLE_AUTOUPDATER: '1' },
    reject: false,
  });
  return stdout?.trim() === `${version} (Claude Code)`;
}

/** Folder of the official TypeScript SDK, as the parity stage pins it; its binaries are not installed. */
function findOfficial() {
  const home = join(root, 'test', 'parity', 'official');
  const name = '@anthropic-ai/claude-agent-sdk';
  const folder = join(home, 'node_modules', name);
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const manifest = join(folder, 'package.json');
  const isThere = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === dependencies[name];
  if (!isThere) npmCi(home, '--omit=optional');
  return folder;
}

function findPython() {
  try {
    return ensurePython();
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    if (!allowsNoPython()) throw new CannotRun(`${error.message} (ALLOW_NO_PYTHON=1 accepts that)`);
    console.error(`  no Python: ${error.message}`);
    return undefined;
  }
}

async function runTests(binaries, sdks, args) {
  const namespace = findNamespace();
  const hasSandbox = canIsolate(namespace);
  const reports = join(root, '.build', 'reports');
  const report = join(reports, 'live.json');
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const [command, ...rest] = [
    ...namespace,
    process.execPath,
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    `--config=${join(live, 'vitest.live.config.ts')}`,
    // Bundling the config would write a temporary file beside it.
    '--configLoader=runner',
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ];
  const status = await exitCodeOf(command, rest, {
    cwd: root,
    timeout: TEST_LIMIT_MS,
    env: {
      // Built from nothing, so that neither a login nor a proxy of the developer's can leak in.
      PATH: process.env.PATH,
      HOME: scratch,
      TMPDIR: scratch,
      LANG: 'C.UTF-8',
      LIVE_CLIS: JSON.stringify(
        Object.fromEntries(binaries.map(({ name, version, path }) => [name, { version, path }])),
      ),
      LIVE_SDKS: JSON.stringify(sdks),
      ...Object.fromEntries(SIZES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
      ATTACKS_SAID: process.env.ATTACKS_SAID,
      LIVE_LOOPBACK_ONLY: namespace.length > 0 ? '1' : '0',
      LIVE_SANDBOX: hasSandbox ? '1' : '0',
    },
  });
  return countReport(report, status);
}

/** The attacks on the sandbox, as a user who is not root. A machine where that cannot be fails, unless it was told that it may. */
async function runAttacks(binaries) {
  const home = mkdtempSync(join(tmpdir(), 'cw-u-'));
  const repository = join(home, 'repository');
  mkdirSync(repository);
  chmodSync(home, 0o755);
  try {
    const { prefix, user, root: place } = findNamespaceOfUser(root, repository);
    console.log(`> the attacks again, as uid ${user}`);
    if (process.getuid() === 0) chownSync(home, user, user);
    const report = join(home, 'report.json');
    const [command, ...rest] = [
      ...prefix,
      process.execPath,
      join(place, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', `--config=${join(place, 'test', 'live', 'attacks', 'vitest.attacks.config.ts')}`],
      ...['--configLoader=runner', '--reporter=verbose', '--reporter=json'],
      `--outputFile.json=${report}`,
    ];
    const clis = binaries.map(({ name, version, path }) => [
      name,
      { version, path: path.replace(root, `${place}/`).replaceAll('//', '/') },
    ]);
    const status = await exitCodeOf(command, rest, {
      cwd: root,
      timeout: TEST_LIMIT_MS,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TMPDIR: home,
        LANG: 'C.UTF-8',
        LIVE_CLIS: JSON.stringify(Object.fromEntries(clis)),
        ATTACKS_SAID: process.env.ATTACKS_SAID,
        LIVE_LOOPBACK_ONLY: '1',
        LIVE_SANDBOX: '1',
      },
    });
    return countReport(report, status);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    console.error(`the attacks cannot run as another user: ${error.message}`);
    return { passed: 0, failed: process.env.ALLOW_NO_LIVE === '1' ? 0 : 1, skipped: 0 };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function added(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** Whether the tests of isolation can run: on Linux they must. */
function canIsolate(namespace) {
  if (process.platform !== 'linux') return false;
  const problem = findSandboxProblem(namespace);
  if (problem === undefined) return true;
  if (process.env.ALLOW_NO_LIVE !== '1') throw new CannotRun(problem);
  console.error(`  no isolation: ${problem}`);
  return false;
}

function finish({ passed, failed, skipped }) {
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
