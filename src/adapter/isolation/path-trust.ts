import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { workingDirectory } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/adapter-error.js';

/** The limit of Linux. */
const MAX_LINKS = 40;
/** Programs that the CLI, or the guard of its sandbox, starts outside of the sandbox. */
const PROGRAMS = ['bwrap', 'socat', 'perl', 'git', 'rg', 'bash', 'zsh', 'sh', 'node'];

/** Where the model or its commands may write. */
interface WritablePlaces {
  /** Where the child runs. @defaultValue the host's working directory */
  readonly cwd: string | undefined;
  /** Relative paths are resolved against the working directory. */
  readonly addDirs: readonly string[];
  readonly writablePaths: readonly string[];
}

/** Absolute, without links. */
function openFolders({ cwd = workingDirectory('cwd'), addDirs, writablePaths }: WritablePlaces): string[] {
  const others = [...addDirs, ...writablePaths].map((path) => resolve(cwd, path));
  return [cwd, ...others].map(lenientRealPath);
}

/**
 * Returns a function that says whether an entry of a `PATH` may stay. The CLI starts programs outside of the sandbox,
 * the sandbox's own among them, and the model must not choose them. So an entry must be absolute, and no step on the
 * way to it or to one of those programs in it may be in a folder that the model can write, or in a home: whoever can
 * replace a link decides where it leads.
 */
export function trustedEntry(
  places: WritablePlaces,
  { tempRoot, prefix }: { readonly tempRoot: string; readonly prefix: string },
): (entry: string) => boolean {
  const fold = (path: string): string => (process.platform === 'linux' ? path : path.toLowerCase());
  const folders = openFolders(places).map(fold);
  const homes = fold(join(lenientRealPath(tempRoot), prefix));
  const isOpen = (place: string): boolean =>
    place.startsWith(homes) || folders.some((folder) => place === folder || isInside(place, folder));
  return (entry) =>
    isAbsolute(entry) &&
    ['', ...PROGRAMS].every((name) => !stopsTo(`${entry}${sep}${name}`).some((at) => isOpen(fold(at))));
}

/** Every step on the way to a path, links included. The folder of each step is free of links. */
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

/**
 * A home where the model works or its commands write would open settings and transcript to it.
 * @throws {@link AdapterConfigError} the temporary directory is, or is in, a working directory or a writable path.
 */
export function assertPrivateTempRoot(tempRoot: string, places: WritablePlaces): void {
  const real = lenientRealPath(tempRoot);
  const open = openFolders(places).find((folder) => folder === real || isInside(real, folder));
  if (open === undefined) return;
  throw new AdapterConfigError(
    `The home of the run would be where tools may write: the temporary directory ${JSON.stringify(tempRoot)} is in ${JSON.stringify(open)}, a working directory or one of \`isolation.sandbox.writablePaths\``,
    ['tempRoot'],
    { hint: 'Set TMPDIR, or `tempRoot`, to a directory outside of it, or name a folder below it.' },
  );
}

/**
 * Resolves links. Steps that do not exist or cannot be read stay as written. For paths of a configuration; paths from a
 * model need `strictRealPath`.
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

/** Whether a path is strictly below another. Both without links. */
export function isInside(path: string, parent: string): boolean {
  const way = relative(parent, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
