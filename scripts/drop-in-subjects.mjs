/**
 * Installs the projects of `test/live/drop-in/matrix` once for each subject: over the official package, over the packed
 * claudewire by `overrides`, and over the twin that `claudewire drop-in` writes.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { npmCi, platformName } from './namespace.mjs';
import { outputOf } from './run.mjs';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const ENTRY = `node_modules/${OFFICIAL}`;

/**
 * What a project says of itself in its `package.json`, under `dropIn`.
 *
 * @typedef {object} Project
 * @property {string} name of its folder
 * @property {string} node major version that its dependents need
 * @property {boolean} isQuick whether it runs without `--all`
 * @property {string} [platform] the only one that it runs on, when it names packages with binaries
 */

/**
 * @param {string} matrix `test/live/drop-in/matrix`
 * @param {{ all: boolean }} options
 * @returns {Project[]}
 */
export function findProjects(matrix, { all }) {
  return readdirSync(join(matrix, 'projects'))
    .sort()
    .map((name) => {
      const { dropIn } = JSON.parse(readFileSync(join(matrix, 'projects', name, 'package.json'), 'utf8'));
      return { name, ...dropIn };
    })
    .filter(({ isQuick, platform = platformName() }) => (all || isQuick) && platform === platformName());
}

const OURS = 'file:../../../claudewire.tgz';

/**
 * Installs the projects for every subject: `claudewire.tgz` is in the folder already.
 *
 * @param {{ root: string, matrix: string, folder: string }} places the checkout, the matrix, where to install
 * @param {Project[]} projects
 * @returns {string[]} the subjects, in the order in which they are compared
 */
export function installSubjects(places, projects) {
  const { root, folder } = places;
  const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages: closure } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const project of projects) {
    installProject(places, project, 'official');
    installProject(places, project, 'claudewire', (manifest, lock) => {
      replaceOfficial(manifest, lock, OURS);
      addPackage(lock, ENTRY, { ...ours, resolved: OURS }, closure);
    });
  }
  const twin = projects.length > 0 && writeTwin(folder, join(folder, 'matrix', projects[0].name, 'claudewire'));
  if (!twin) return ['official', 'claudewire'];
  for (const project of projects) {
    installProject(places, project, 'twin', (manifest, lock) => {
      replaceOfficial(manifest, lock, twin.spec);
      manifest.dependencies.claudewire = OURS;
      lock.packages[''].dependencies.claudewire = OURS;
      addPackage(lock, ENTRY, { ...twin.manifest, resolved: twin.spec }, {});
      addPackage(lock, 'node_modules/claudewire', { ...ours, resolved: OURS }, closure);
    });
  }
  return ['official', 'claudewire', 'twin'];
}

/**
 * Runs `claudewire drop-in` as a user does: the executable of an installed package, in a project that has it.
 *
 * @returns `undefined` while the executable has no such command
 */
function writeTwin(folder, installed) {
  const executable = join(installed, ENTRY, 'dist', 'bin', 'claudewire.js');
  if (!/^ +drop-in\b/m.test(outputOf(process.execPath, [executable, '--help'], folder))) {
    console.log('  no `claudewire drop-in` yet: the twin is left out');
    return undefined;
  }
  const user = join(folder, 'matrix');
  writeFileSync(
    join(user, 'package.json'),
    JSON.stringify({ private: true, dependencies: { claudewire: 'file:../claudewire.tgz' } }),
  );
  const out = outputOf(process.execPath, [executable, 'drop-in', '--out', 'twin', '--json'], user);
  const { tarball } = JSON.parse(out);
  rmSync(join(user, 'package.json'));
  const manifest = JSON.parse(readFileSync(join(user, 'twin', 'package.json'), 'utf8'));
  return { spec: `file:../../twin/${basename(tarball)}`, manifest };
}

/**
 * Installs a project for one subject, and copies the programs beside its packages. The official one stays when it is
 * there; the others are ours, and made anew. A project whose dependent pins an old SDK has the lock file that they are
 * made of in `current`, with what npm installs beside the current one.
 */
function installProject({ root, matrix, folder }, project, subject, adapt) {
  const directory = join(folder, 'matrix', project.name, subject);
  mkdirSync(directory, { recursive: true });
  copyFileSync(join(root, '.npmrc'), join(directory, '.npmrc'));
  const source = join(matrix, 'projects', project.name);
  const current = join(source, 'current');
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((file) =>
    JSON.parse(readFileSync(join(adapt !== undefined && existsSync(current) ? current : source, file), 'utf8')),
  );
  adapt?.(manifest, lock);
  const wanted = `${JSON.stringify(lock, null, 2)}\n`;
  const lockFile = join(directory, 'package-lock.json');
  const isThere =
    adapt === undefined && existsSync(join(directory, 'node_modules')) && readFileSync(lockFile, 'utf8') === wanted;
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(lockFile, wanted);
  if (!isThere) npmCi(directory, '--omit=optional');
  rmSync(join(directory, 'programs'), { recursive: true, force: true });
  for (const programs of [join(matrix, '..', 'programs'), join(matrix, 'programs')]) {
    cpSync(programs, join(directory, 'programs'), { recursive: true });
  }
}

/** As a user does: another package answers to the official name, for every dependent. */
function replaceOfficial(manifest, lock, spec) {
  manifest.dependencies[OFFICIAL] = spec;
  manifest.overrides = { ...manifest.overrides, [OFFICIAL]: `$${OFFICIAL}` };
  lock.packages[''].dependencies[OFFICIAL] = spec;
  for (const path of Object.keys(lock.packages)) {
    if (path.endsWith(ENTRY) || path.includes(`${ENTRY}/`)) delete lock.packages[path];
  }
}

/**
 * Adds a package to a lock file, with its dependencies at the versions of its own lock file. One that the project has at
 * the same version is shared, as npm would; the others are put below the package.
 */
function addPackage(lock, path, manifest, closure) {
  const fields = [
    ...['name', 'version', 'resolved', 'license', 'dependencies', 'optionalDependencies', 'engines'],
    ...['peerDependencies', 'peerDependenciesMeta'],
  ];
  lock.packages[path] = Object.fromEntries(fields.map((field) => [field, manifest[field]]));
  for (const [place, entry] of Object.entries(closure)) {
    const isNeeded = place.startsWith('node_modules/') && !entry.dev && !entry.devOptional && !entry.link;
    if (!isNeeded || lock.packages[place]?.version === entry.version) continue;
    lock.packages[`${path}/${place}`] = entry;
  }
}

/**
 * Node binaries from npm for the projects that need another version than the one at hand.
 *
 * @returns {Record<string, string>} paths by major version
 */
export function installNodes(folder, projects) {
  const at = process.versions.node.split('.')[0];
  const nodes = { [at]: process.execPath };
  const name = `node-${process.platform}-${process.arch}`;
  for (const major of new Set(projects.map(({ node }) => node))) {
    if (nodes[major] !== undefined) continue;
    const directory = join(folder, `node-${major}`);
    const binary = join(directory, 'node_modules', name, 'bin', 'node');
    if (!existsSync(binary)) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'package.json'), '{"private":true}');
      outputOf('npm', ['install', '--ignore-scripts', `${name}@${major}`], directory);
    }
    nodes[major] = binary;
  }
  return nodes;
}
