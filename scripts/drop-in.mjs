/**
 * Runs the drop-in tests: programs and published dependents of the official SDK, unchanged, over that package and
 * over a packed claudewire in its place, on the real CLI that talks to a scripted API on the loopback interface.
 *
 *   node scripts/drop-in.mjs [--all] [--project NAME] [--folder DIR] [--renew-lock] [arguments for vitest]
 *
 * `test/live/drop-in/matrix` has more dependents, over a third subject too: the twin that `claudewire drop-in` writes.
 * Without flags the quick ones run beside the rest. `--all` runs the whole matrix and nothing else, and writes
 * `docs/evidence/dependents.md`; `--project` runs one project of it.
 *
 * `--folder` installs there and keeps it: a second run only packs and installs claudewire anew. `--renew-lock` writes
 * the lock file of `test/live/drop-in/claudewire` after our own dependencies changed.
 *
 * A network namespace as in `scripts/live.mjs`; ALLOW_NO_LIVE=1 turns "cannot run here" into a note. The last line is
 * `N passed, N failed`. Exits with 1 when anything failed.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeEvidence } from './drop-in-evidence.mjs';
import { findProjects, installNodes, installSubjects } from './drop-in-subjects.mjs';
import { CannotRun, findNamespace, npmCi, platformName } from './namespace.mjs';
import { exitCodeOf, outputOf } from './run.mjs';
import { countReport } from './vitest-report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'test', 'live', 'drop-in');
const matrix = join(source, 'matrix');
const SDK = 'node_modules/@anthropic-ai/claude-agent-sdk';

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    project: { type: 'string' },
    folder: { type: 'string' },
    'renew-lock': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const isMatrixOnly = values.all || values.project !== undefined;
const TEST_LIMIT_MS = isMatrixOnly ? 5_400_000 : 540_000;
/** Home of whatever runs here, so that nothing is written or read elsewhere. */
const scratch = mkdtempSync(join(tmpdir(), 'claudewire-drop-in-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
const folder = values.folder === undefined ? join(scratch, 'projects') : resolve(values.folder);

try {
  const namespace = findNamespace();
  const setting = install();
  const counts = await runTests(namespace, setting);
  if (values.all && values.project === undefined && positionals.length === 0) {
    const page = join(root, 'docs', 'evidence', 'dependents.md');
    writeEvidence({ results: join(folder, 'results'), folder, page, subjects: setting.subjects });
  }
  finish(counts);
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  const isAllowed = process.env.ALLOW_NO_LIVE === '1';
  console.error(`drop-in tests cannot run here: ${error.message}`);
  if (!isAllowed) console.error('  (ALLOW_NO_LIVE=1 accepts that)');
  finish({ passed: 0, failed: isAllowed ? 0 : 1, skipped: 0 });
}

/**
 * The platform package lies above both projects, where either package looks for it: 380 MB once. It is what an alias
 * does not bring.
 */
function install() {
  mkdirSync(folder, { recursive: true });
  pack();
  installOnce('.', []);
  if (!isMatrixOnly) installPair();
  const projects = findProjects(matrix, { all: isMatrixOnly }).filter(
    ({ name }) => values.project === undefined || name === values.project,
  );
  const subjects = installSubjects({ root, matrix, folder }, projects);
  for (const notes of ['results', 'observed']) {
    rmSync(join(folder, notes), { recursive: true, force: true });
    mkdirSync(join(folder, notes));
  }
  return {
    cli: join(folder, 'node_modules', '@anthropic-ai', `claude-agent-sdk-${platformName()}`, 'claude'),
    nodes: installNodes(folder, projects),
    subjects,
    projects: projects.map(({ name }) => name),
    all: isMatrixOnly,
  };
}

/** The two projects whose programs run over both packages. */
function installPair() {
  installOnce('official', ['--omit=optional']);
  rmSync(join(folder, 'claudewire', SDK), { recursive: true, force: true });
  writeProject('claudewire');
  npmCi(join(folder, 'claudewire'));
  for (const project of ['official', 'claudewire']) {
    for (const kind of ['programs', 'dependents']) {
      rmSync(join(folder, project, kind), { recursive: true, force: true });
      cpSync(join(source, kind), join(folder, project, kind), { recursive: true });
    }
  }
}

function pack() {
  outputOf('npm', ['run', '--silent', 'build'], root);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const report = JSON.parse(outputOf('npm', args, root));
  // An array in npm 10, an object by package name since npm 11.
  const [packed] = Array.isArray(report) ? report : Object.values(report);
  copyFileSync(join(scratch, packed.filename), join(folder, 'claudewire.tgz'));
}

function installOnce(project, flags) {
  if (existsSync(join(folder, project, 'node_modules'))) return;
  writeProject(project);
  npmCi(join(folder, project), ...flags);
}

function writeProject(project) {
  const directory = join(folder, project);
  mkdirSync(directory, { recursive: true });
  copyFileSync(join(root, '.npmrc'), join(directory, '.npmrc'));
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(source, project, file), join(directory, file));
  }
  if (project === 'claudewire') writeLockEntry(join(directory, 'package-lock.json'));
}

/**
 * Our own entry follows package.json at each run, and has no hash: the tarball is made anew. npm then says which
 * packages the lock file lacks, if any.
 */
function writeLockEntry(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version, license, dependencies, engines, peerDependencies, peerDependenciesMeta } = manifest;
  lock.packages[SDK] = {
    name,
    version,
    resolved: 'file:../claudewire.tgz',
    license,
    dependencies,
    engines,
    peerDependencies,
    peerDependenciesMeta,
  };
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  if (!values['renew-lock']) return;
  outputOf('npm', ['install', '--package-lock-only'], join(file, '..'));
  copyFileSync(file, join(source, 'claudewire', 'package-lock.json'));
}

async function runTests(namespace, setting) {
  const report = join(scratch, 'report.json');
  const [command, ...args] = [
    ...namespace,
    process.execPath,
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    `--config=${join(source, 'vitest.drop-in.config.ts')}`,
    // Bundling the config would write a temporary file beside it.
    '--configLoader=runner',
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(isMatrixOnly ? [matrix] : []),
    ...positionals,
  ];
  const status = await exitCodeOf(command, args, {
    cwd: root,
    timeout: TEST_LIMIT_MS,
    env: {
      // Built from nothing, so that neither a login nor a proxy of the developer's can leak in.
      PATH: process.env.PATH,
      HOME: scratch,
      TMPDIR: scratch,
      LANG: 'C.UTF-8',
      DROP_IN_PROJECTS: folder,
      DROP_IN_MATRIX: JSON.stringify(setting),
    },
  });
  return countReport(report, status);
}

function finish({ passed, failed, skipped }) {
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
