/**
 * Installs the projects of `test/live/drop-in/matrix` once for each subject: over the official package, over the packed
 * claudewire by `overrides`, and over the twin that `claudewire drop-in` writes.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCi } from './namespace.mjs';
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
      return { name, node: dropIn.node, isQuick: dropIn.isQuick };
    })
    .filter(({ isQuick }) => all || isQuick);
}

/**
 * The subjects, in the order in which they are compared. The packed one is `claudewire.tgz` in the folder already.
 *
 * @param {{ root: string, folder: string }} places the checkout, and where the projects are installed
 * @returns {{ name: string, replacement?: { spec: string, manifest: object, closure: string } }[]}
 */
export function prepareSubjects({ root, folder }) {
  const ours = {
    spec: 'file:../../../claudewire.tgz',
    manifest: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
    lock: join(root, 'package-lock.json'),
  };
  const subjects = [{ name: 'official' }, { name: 'claudewire', replacement: ours }];
  const twin = writeTwin(root, folder);
  return twin === undefined ? subjects : [...subjects, { name: 'twin', replacement: { ...ours, ...twin } }];
}

/** @returns `undefined` while the executable has no such command */
function writeTwin(root, folder) {
  const executable = join(root, 'dist', 'bin', 'claudewire.js');
  if (!/^ +drop-in\b/m.test(outputOf(process.execPath, [executable, '--help'], folder))) {
    console.log('  no `claudewire drop-in` yet: the twin is left out');
    return undefined;
  }
  const directory = join(folder, 'twin');
  rmSync(directory, { recursive: true, force: true });
  outputOf(process.execPath, [executable, 'drop-in', '--out', directory], folder);
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  outputOf('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, directory], folder);
  copyFileSync(join(folder, `anthropic-ai-claude-agent-sdk-${manifest.version}.tgz`), join(folder, 'twin.tgz'));
  return { spec: 'file:../../../twin.tgz', manifest };
}

/**
 * Installs a project for one subject, and copies the programs beside its packages. The official one stays when it is
 * there; the others are ours, and made anew.
 *
 * @param {{ matrix: string, folder: string, npmrc: string }} places
 */
export function installProject({ matrix, folder, npmrc }, project, { name, replacement }) {
  const directory = join(folder, 'matrix', project.name, name);
  mkdirSync(directory, { recursive: true });
  copyFileSync(npmrc, join(directory, '.npmrc'));
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((file) =>
    JSON.parse(readFileSync(join(matrix, 'projects', project.name, file), 'utf8')),
  );
  if (replacement !== undefined) replaceOfficial(manifest, lock, replacement);
  const wanted = `${JSON.stringify(lock, null, 2)}\n`;
  const lockFile = join(directory, 'package-lock.json');
  const isThere =
    replacement === undefined &&
    existsSync(join(directory, 'node_modules')) &&
    readFileSync(lockFile, 'utf8') === wanted;
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(lockFile, wanted);
  if (!isThere) npmCi(directory, '--omit=optional');
  rmSync(join(directory, 'programs'), { recursive: true, force: true });
  for (const programs of [join(matrix, '..', 'programs'), join(matrix, 'programs')]) {
    cpSync(programs, join(directory, 'programs'), { recursive: true });
  }
}

/**
 * Makes a project of a subject out of the official one, as a user does: our package answers to the official name, for
 * every dependent. Our own dependencies come at the versions of our lock file. One that the project has at the same
 * version is shared, as npm would; the others are put below us.
 */
export function replaceOfficial(manifest, lock, { spec, manifest: ours, lock: ourLock }) {
  manifest.dependencies[OFFICIAL] = spec;
  manifest.overrides = { ...manifest.overrides, [OFFICIAL]: `$${OFFICIAL}` };
  lock.packages[''].dependencies[OFFICIAL] = spec;
  for (const path of Object.keys(lock.packages)) {
    if (path.endsWith(ENTRY) || path.includes(`${ENTRY}/`) || path.includes(`${ENTRY}-`)) delete lock.packages[path];
  }
  const { name, version, license, dependencies, engines, peerDependencies, peerDependenciesMeta } = ours;
  lock.packages[ENTRY] = {
    name,
    version,
    resolved: spec,
    license,
    dependencies,
    engines,
    peerDependencies,
    peerDependenciesMeta,
  };
  const { packages } = JSON.parse(readFileSync(ourLock, 'utf8'));
  for (const [path, entry] of Object.entries(packages)) {
    const isOurs = path.startsWith('node_modules/') && !entry.dev && !entry.devOptional && !entry.link;
    if (!isOurs || lock.packages[path]?.version === entry.version) continue;
    lock.packages[`${ENTRY}/${path}`] = entry;
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
