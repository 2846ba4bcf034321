import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { InvalidOptionError } from '../../index.js';
import { attempt, readJson, readText } from '../files.js';
import type { ProgramHost } from '../program-host.js';
import { packTarball } from './tarball.js';

const NAME = '@anthropic-ai/claude-agent-sdk';
/** In its package.json. */
const MARK = 'Made by `claudewire drop-in`';

const HELP = `
Tracers, and programs that look at the package, look for its name, its version and its files. This one has them, and all
of it leads to claudewire. It is for this machine only, holds nothing of Anthropic's, and must not be published.`;

/** Adds `claudewire drop-in`. */
export function addDropInCommand(program: Command, host: ProgramHost): void {
  program
    .command('drop-in')
    .description(`Writes a local package with the name and the version of ${NAME}.`)
    .option('--out <dir>', 'where to', 'vendor/claude-agent-sdk')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(({ out, json }: { readonly out: string; readonly json?: boolean }) => {
      const folder = resolve(out);
      const claudewire = ownSpec(resolve(host.assets, '..'), host.version);
      const { version, files } = twinFor(claudewire, host.assets);
      const tarball = join(folder, `claude-agent-sdk-${version}.tgz`);
      attempt('out', `write ${folder}`, () => writeTwin(folder, tarball, files));
      const twin = { name: NAME, version, folder, tarball, claudewire, lines: linesFor(tarball) };
      host.stdout.write(json === true ? `${JSON.stringify(twin, null, 2)}\n` : toText(twin));
    });
}

/** The files as the build made them, and how package managers find this package. */
function twinFor(claudewire: string, assets: string): { version: string; files: Map<string, string> } {
  // The casts are true of what `scripts/twin.mjs` writes.
  const files = new Map(Object.entries(readJson('out', join(assets, 'drop-in.json')) as Record<string, string>));
  const manifest = JSON.parse(files.get('package.json') ?? '') as { readonly version: string };
  files.set('package.json', `${JSON.stringify({ ...manifest, dependencies: { claudewire } }, null, 2)}\n`);
  return { version: manifest.version, files };
}

/** As the project asks for it, so that there is one copy; a path is made absolute, as the twin is elsewhere. */
function ownSpec(root: string, version: string): string {
  if (!root.split(sep).includes('node_modules')) return `file:${root}`;
  let folder = resolve();
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  if (!existsSync(join(folder, 'package.json'))) return `^${version}`;
  // The cast does not promise values: the one that is used is checked.
  const project = readJson('package.json', join(folder, 'package.json')) as Record<string, Record<string, unknown>>;
  const spec = { ...project.devDependencies, ...project.dependencies }.claudewire;
  const path = typeof spec === 'string' ? /^(?:file:|link:|portal:|(?=[./]))(.+)/.exec(spec)?.[1] : undefined;
  if (path !== undefined) return `file:${resolve(folder, path)}`;
  return typeof spec !== 'string' || /^(?:workspace|catalog):/.test(spec) ? `^${version}` : spec;
}

/** @throws InvalidOptionError there are files that this command did not write. */
function writeTwin(folder: string, tarball: string, files: ReadonlyMap<string, string>): void {
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const isTwin = present.includes('package.json') && readText('out', join(folder, 'package.json')).includes(MARK);
  const foreign = present.filter((name) => !isTwin || !(files.has(name) || /^claude-agent-sdk-.*\.tgz$/.test(name)));
  if (foreign.length > 0) {
    const what = `${folder} has files that this command did not write: ${foreign.slice(0, 5).join(', ')}`;
    throw new InvalidOptionError('out', `${what}. Name another folder with --out, or remove it.`);
  }
  // Never through a link in the place of a file.
  for (const name of present) rmSync(join(folder, name));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text, { flag: 'wx' });
  writeFileSync(tarball, packTarball(files), { flag: 'wx' });
}

interface Twin extends Readonly<Record<'folder' | 'version' | 'claudewire', string>> {
  readonly lines: Readonly<Record<string, { readonly add: Readonly<Record<string, object>>; readonly undo: string }>>;
}

/**
 * What each package manager needs, by the file that it goes into, and the command after it was taken out again: npm and
 * bun alone keep what is installed when its version fits. npm takes a path in `overrides` only beside the same dependency.
 */
function linesFor(tarball: string): Twin['lines'] {
  const path = relative('', tarball);
  const isBelow = !path.startsWith('..') && path !== tarball;
  const own = { [NAME]: `file:${isBelow ? `./${path.replaceAll(sep, '/')}` : tarball}` };
  const add = (more: object): Record<string, object> => ({ 'package.json': { dependencies: own, ...more } });
  return {
    npm: { add: add({ overrides: own }), undo: `npm install && npm update ${NAME}` },
    pnpm: { add: { ...add({}), 'pnpm-workspace.yaml': { overrides: own } }, undo: 'pnpm install' },
    yarn: { add: add({ resolutions: own }), undo: 'yarn install' },
    bun: { add: add({ overrides: own }), undo: 'bun install --force' },
  };
}

function toText({ folder, version, claudewire, lines }: Twin): string {
  const text = Object.entries(lines).map(([manager, { add, undo }]) => {
    const fields = Object.entries(add).map(([file, value]) => `${file}: ${JSON.stringify(value, null, 2)}\n`);
    return `\n${manager}\n${`${fields.join('')}undo: ${undo}\n`.replace(/^(?=.)/gm, '  ')}`;
  });
  return `wrote ${folder}: ${NAME} ${version}, which leads to claudewire (${claudewire})

Add what your package manager needs, and install. To undo it, take that out, remove the folder, and run the last line.
${text.join('')}`;
}
