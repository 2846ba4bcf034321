import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { InvalidOptionError } from '../../index.js';
import { OFFICIAL_VERSION, VERSION } from '../../version.js';
import { attempt, readJson } from '../files.js';
import type { ProgramHost } from '../program-host.js';
import { packTarball } from './tarball.js';
import { OFFICIAL_NAME, twinFiles } from './twin.js';

const TARBALL = `claude-agent-sdk-${OFFICIAL_VERSION}.tgz`;
const MARK = `Made by \`claudewire drop-in\``;

const HELP = `
Tracers, and programs that look at the package, look for its name, its version and its files. The twin has them, and all
of it leads to claudewire. It is for this project only: it holds nothing of Anthropic's, and must not be published.

Exit codes:
  0    the twin is there
  2    the arguments cannot be used; nothing was written`;

/** Adds `claudewire drop-in`. */
export function addDropInCommand(program: Command, host: ProgramHost): void {
  program
    .command('drop-in')
    .description(`Writes a local package that has the name and version of ${OFFICIAL_NAME}, and leads to claudewire.`)
    .option('--out <dir>', 'where to', 'vendor/claude-agent-sdk')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(({ out, json }: { readonly out: string; readonly json?: boolean }) => {
      const folder = resolve(out);
      const root = resolve(host.assets, '..');
      const spec = ownSpec(root);
      const files = twinFiles(root, spec);
      attempt('out', `write ${folder}`, () => writeTwin(folder, files));
      const twin = {
        name: OFFICIAL_NAME,
        version: OFFICIAL_VERSION,
        folder,
        tarball: join(folder, TARBALL),
        claudewire: spec,
      };
      const lines = linesFor(`file:${localPath(twin.tarball)}`);
      host.stdout.write(json === true ? `${JSON.stringify({ ...twin, lines }, null, 2)}\n` : toText(twin, lines));
    });
}

/** By its version; as long as this package is a file or a folder here, by its path, as registries may not have it. */
function ownSpec(root: string): string {
  if (!root.split(sep).includes('node_modules')) return `file:${root}`;
  let folder = resolve();
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return `^${VERSION}`;
  // The cast does not promise values: the one that is used is checked.
  const project = readJson('out', manifest) as Readonly<Record<string, Record<string, unknown> | undefined>>;
  const spec = { ...project.devDependencies, ...project.dependencies }.claudewire;
  const path = typeof spec === 'string' ? /^(?:file:|link:|portal:|(?=[./~]))(.+)$/.exec(spec)?.[1] : undefined;
  return path === undefined ? `^${VERSION}` : `file:${resolve(folder, path)}`;
}

/** @throws InvalidOptionError there are files that this command did not write. */
function writeTwin(folder: string, files: ReadonlyMap<string, string>): void {
  const known = existsSync(folder) ? readdirSync(folder) : [];
  const manifest = join(folder, 'package.json');
  const isOurs = known.length === 0 || (existsSync(manifest) && readFileSync(manifest, 'utf8').includes(MARK));
  const foreign = known.filter((name) => !files.has(name) && !/^claude-agent-sdk-.*\.tgz$/.test(name));
  if (!isOurs || foreign.length > 0) {
    const what = isOurs ? `has files that are not of it: ${foreign.join(', ')}` : 'is not one that this command wrote';
    throw new InvalidOptionError('out', `${folder} ${what}. Name another folder with --out, or remove it.`);
  }
  // Never through a link that somebody put in the place of a file.
  for (const name of known) rmSync(join(folder, name));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text, { flag: 'wx' });
  writeFileSync(join(folder, TARBALL), packTarball(files), { flag: 'wx' });
}

/** As package.json names it: with slashes, and from the working directory when it is in there. */
function localPath(file: string): string {
  const path = relative('', file);
  return path.startsWith('..') || path === resolve(path) ? file : `./${path.replaceAll(sep, '/')}`;
}

type Lines = Readonly<Record<'npm' | 'pnpm' | 'yarn' | 'bun', object>>;

/** Fields of package.json. A direct dependency must say the same as the override: npm refuses anything else. */
function linesFor(file: string): Lines {
  const own = { [OFFICIAL_NAME]: file };
  return {
    npm: { dependencies: own, overrides: own },
    pnpm: { dependencies: own, pnpm: { overrides: own } },
    yarn: { dependencies: own, resolutions: own },
    bun: { dependencies: own, overrides: own },
  };
}

function toText(
  { folder, claudewire }: { readonly folder: string; readonly claudewire: string },
  lines: Lines,
): string {
  const all = Object.entries(lines).map(
    ([name, fields]) => `${name}\n${JSON.stringify(fields, null, 2).replace(/^/gm, '  ')}`,
  );
  return `wrote ${folder}: ${OFFICIAL_NAME} ${OFFICIAL_VERSION}, which leads to claudewire (${claudewire})

Add to package.json what your package manager needs, and install:

${all.join('\n\n')}
`;
}
