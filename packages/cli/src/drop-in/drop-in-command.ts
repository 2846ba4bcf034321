import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../../../src/util/json.js';
import { attempt, readJson } from '../files.js';
import type { ProgramHost } from '../program-host.js';
import { packTarball } from './tarball.js';

const NAME = '@anthropic-ai/claude-agent-sdk';
/** In its package.json. */
const MARK = 'Made by `claudewire drop-in`';

const TARBALL = /^claude-agent-sdk-\d+\.\d+\.\d+\.tgz$/;
const MAX_TRIES = 5;

const DEFAULT_FOLDER = join('vendor', 'claude-agent-sdk');

const HELP = `
Tracers, and programs that look at the package, look for its name, its version and its files. This one has them, and all
of it leads to the claudewire of your project. It holds nothing of Anthropic's, and must not be published.`;

/** Adds `claudewire drop-in`. */
export function addDropInCommand(program: Command, host: ProgramHost): void {
  program
    .command('drop-in')
    .description(`Writes a local package with the name and the version of ${NAME}.`)
    .option('--out <dir>', `where to (default: ${DEFAULT_FOLDER} in the project)`)
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(({ out, json }: { readonly out?: string; readonly json?: boolean }) => {
      const project = findProject();
      const folder = out === undefined ? join(project, DEFAULT_FOLDER) : resolve(out);
      // The casts are true of what `scripts/twin.mjs` writes.
      const texts = readJson('out', join(host.assets, 'drop-in.json')) as Record<string, string>;
      const files = new Map(Object.entries(texts));
      const { version } = JSON.parse(files.get('package.json') ?? '') as { readonly version: string };
      const tarball = join(folder, `claude-agent-sdk-${version}.tgz`);
      attempt('out', `write ${folder}`, () => writeTwin(folder, tarball, files));
      const twin = { name: NAME, version, folder, tarball, project, lines: linesFor(tarball, project) };
      host.stdout.write(json === true ? `${JSON.stringify(twin, null, 2)}\n` : toText(twin));
    });
}

/**
 * The folder of the package.json here or above.
 * @throws InvalidOptionError it does not name claudewire: a package manager would fetch what the twin leads to from a registry.
 */
function findProject(): string {
  let folder = resolve();
  while (manifestIn(folder) === undefined && folder !== dirname(folder)) folder = dirname(folder);
  const manifest = manifestIn(folder);
  const cure = 'The twin leads to the claudewire of a project: go to yours, and install claudewire under its own name.';
  const none = `There is no package.json in ${resolve()} or above. ${cure}`;
  if (manifest === undefined) throw new InvalidOptionError('package.json', none);
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  if (fields.some((field) => Object.hasOwn(manifest[field] ?? {}, 'claudewire'))) return folder;
  throw new InvalidOptionError(
    'package.json',
    `${join(folder, 'package.json')} has no dependency \`claudewire\`. ${cure}`,
  );
}

/**
 * As a whole, in place of an older one: a run that is interrupted leaves the old twin, and of two at once one stays.
 * @throws InvalidOptionError there are files that this command did not write.
 */
function writeTwin(folder: string, tarball: string, files: ReadonlyMap<string, string>): void {
  requireOwn(folder, files);
  const made = `${folder}.${process.pid}.new`;
  const old = `${folder}.${process.pid}.old`;
  const clear = (): void => {
    for (const left of [made, old]) rmSync(left, { recursive: true, force: true });
  };
  clear();
  try {
    mkdirSync(made, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(made, name), text);
    writeFileSync(join(made, basename(tarball)), packTarball(files));
    // Another run may put its own there meanwhile.
    for (let left = MAX_TRIES; !hasReplaced(folder, made, old, left === 0); left -= 1);
  } finally {
    clear();
  }
}

function hasReplaced(folder: string, made: string, old: string, isLast: boolean): boolean {
  // A link in the place of the folder is moved, not followed.
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  try {
    if (isThere) renameSync(folder, old);
    renameSync(made, folder);
    return true;
  } catch (error) {
    if (isThere && !existsSync(folder) && existsSync(old)) renameSync(old, folder);
    if (isLast) throw error;
    rmSync(old, { recursive: true, force: true });
    return false;
  }
}

function requireOwn(folder: string, files: ReadonlyMap<string, string>): void {
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const { name, description } = manifestIn(folder) ?? {};
  const isTwin = name === NAME && typeof description === 'string' && description.includes(MARK);
  const foreign = present.filter((file) => !isTwin || !(files.has(file) || TARBALL.test(file)));
  if (foreign.length === 0) return;
  const what = `${folder} has files that this command did not write: ${foreign.slice(0, 5).join(', ')}`;
  throw new InvalidOptionError('out', `${what}. Name another folder with --out, or remove it.`);
}

/** `undefined`: there is none, or what has its name is no file. */
function manifestIn(folder: string): JsonObject | undefined {
  const file = join(folder, 'package.json');
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const manifest = readJson('package.json', file);
  return isJsonObject(manifest) ? manifest : {};
}

interface Twin extends Readonly<Record<'folder' | 'version', string>> {
  readonly lines: Readonly<Record<string, { readonly add: Readonly<Record<string, object>>; readonly undo: string }>>;
}

/**
 * What each package manager needs, by the file that it goes into, and the command after it was taken out again: npm and
 * bun alone keep what is installed when its version fits. npm takes a path in `overrides` only beside the same dependency.
 */
function linesFor(tarball: string, project: string): Twin['lines'] {
  const path = relative(project, tarball);
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

function toText({ folder, version, lines }: Twin): string {
  const text = Object.entries(lines).map(([manager, { add, undo }]) => {
    const fields = Object.entries(add).map(([file, value]) => `${file}: ${JSON.stringify(value, null, 2)}\n`);
    return `\n${manager}\n${`${fields.join('')}undo: ${undo}\n`.replace(/^(?=.)/gm, '  ')}`;
  });
  return `wrote ${folder}: ${NAME} ${version}, which leads to the claudewire of your project

Replace your own entry for the package with the one for your package manager, and install. To undo it, restore your entry,
take out the override, remove the folder, and run the last line.
${text.join('')}`;
}
