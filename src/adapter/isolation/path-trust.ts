import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { workingDirectory } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/config-errors.js';

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** What the CLI, or the guard of its sandbox, starts outside of it. */
const PROGRAMS = ['bwrap', 'socat', 'perl', 'git', 'rg', 'bash', 'zsh', 'sh', 'node'];

interface OpenPlacesInput {
  /** Where the child runs. */
  readonly workingDirectory: string;
  readonly addDirs: readonly string[];
  /** Of the sandbox; relative ones hang on the working directory. */
  readonly writablePaths: readonly string[];
  /** Folder of the homes, and how their names begin. */
  readonly tempRoot: string;
  readonly prefix: string;
  /** The path without links. */
  readonly realPath: (path: string) => string;
}

/** Folders in which the model, or a command of it, may write. Absolute, without links. */
function openFolders(input: Omit<OpenPlacesInput, 'tempRoot' | 'prefix'>): string[] {
  const { workingDirectory, addDirs, writablePaths, realPath } = input;
  return [
    workingDirectory,
    ...[...addDirs, ...writablePaths].map((path) => resolve(workingDirectory, path)),
  ].map(realPath);
}

/**
 * Judges an entry of a `PATH`. What lies in a folder that the model may write would be the model's to choose, and the CLI starts
 * programs outside of the sandbox: the sandbox's own among them. So an entry must be absolute, and no place on the way to it, nor to one of those
 * programs in it, may lie in such a folder: whoever can write where a link is decides where it leads.
 *
 * @returns whether the entry may stay
 */
export function trustedEntry(input: OpenPlacesInput): (entry: string) => boolean {
  const { tempRoot, prefix, realPath } = input;
  const fold = process.platform === 'linux' ? (path: string) => path : lowerCase;
  const folders = openFolders(input).map(fold);
  const homes = fold(join(realPath(tempRoot), prefix));
  const isOpen = (place: string): boolean =>
    place.startsWith(homes) ||
    folders.some((folder) => place === folder || isInside(place, folder));
  return (entry) =>
    isAbsolute(entry) &&
    ['', ...PROGRAMS].every(
      (name) => !stopsTo(`${entry}${sep}${name}`).some((at) => isOpen(fold(at))),
    );
}

/** Every place on the way to a path, links included; each lies in a folder that is free of links. */
function stopsTo(path: string): string[] {
  const { root } = parse(path);
  const stops: string[] = [];
  const names = namesOf(path);
  let at = root;
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') at = dirname(at);
    if (name === '' || name === '.' || name === '..') continue;
    const here = join(at, name);
    stops.push(here);
    const target = linkTarget(here);
    if (target === undefined) at = here;
    else {
      links += 1;
      if (links > MAX_LINKS) break;
      if (isAbsolute(target)) at = parse(target).root;
      names.unshift(...namesOf(target));
    }
  }
  return stops;
}

function namesOf(path: string): string[] {
  return path.slice(parse(path).root.length).split(sep === '/' ? '/' : /[\\/]/);
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const lowerCase = (path: string): string => path.toLowerCase();

/**
 * A home where the model works, or its commands write, would be open to it: settings, transcript and all.
 *
 * @throws {@link AdapterConfigError} the temporary directory lies in a working directory or a writable path, or is one.
 */
export function requireOwnPlace(
  tempRoot: string,
  writablePaths: readonly string[],
  working: {
    readonly workspacePath?: string | undefined;
    readonly addDirs?: readonly string[] | undefined;
  },
): void {
  const real = lenientRealPath(tempRoot);
  const open = openFolders({
    workingDirectory: working.workspacePath ?? workingDirectory('cwd'),
    addDirs: working.addDirs ?? [],
    writablePaths,
    realPath: lenientRealPath,
  }).find((folder) => folder === real || isInside(real, folder));
  if (open === undefined) return;
  throw new AdapterConfigError(
    `The home of the run would lie where tools may write: the temporary directory ${JSON.stringify(tempRoot)} is in ${JSON.stringify(open)}, a working directory or one of \`isolation.sandbox.writablePaths\``,
    ['tempRoot'],
    { hint: 'Set TMPDIR, or `tempRoot`, to a directory outside of it, or name a folder below it.' },
  );
}

/**
 * The path without links. What does not exist yet, or cannot be looked at, is taken as written, below its nearest folder
 * that can. For paths of a configuration; what a model asks for needs `strictRealPath`.
 */
export function lenientRealPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(lenientRealPath(parent), basename(absolute));
  }
}

/** Strictly. Both without links. */
export function isInside(path: string, parent: string): boolean {
  const way = relative(parent, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
