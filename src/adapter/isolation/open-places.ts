import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { isInside } from './sandbox-paths.js';

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** What the CLI, or the guard of its sandbox, starts outside of it. */
const PROGRAMS = ['bwrap', 'socat', 'perl', 'git', 'rg', 'bash', 'zsh', 'sh', 'node'];

export interface OpenPlacesInput {
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
export function openFolders(input: Omit<OpenPlacesInput, 'tempRoot' | 'prefix'>): string[] {
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
