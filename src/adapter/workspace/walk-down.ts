import type { Stats } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/workspace-errors.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { isWithin } from './vfs-path.js';

/** Opens each directory of a path in turn. `act` gets the last one. All are closed afterwards, `start` too. */
export async function walkDown<R>(
  start: AnchoredDirectory,
  segments: readonly string[],
  act: (last: AnchoredDirectory) => Promise<R>,
): Promise<R> {
  let at = start;
  try {
    for (const segment of segments) {
      const next = await at.openDirectory(segment);
      await at.close();
      at = next;
    }
    return await act(at);
  } finally {
    await at.close();
  }
}

/**
 * Opens the parent directory of `path`, from the first of `bases` that contains it.
 *
 * @param path - Real and absolute, and so are `bases`.
 */
export function inParentOf<R>(
  path: string,
  bases: readonly string[],
  act: (parent: AnchoredDirectory, name: string) => Promise<R>,
): Promise<R> {
  const parent = dirname(path);
  const base = bases.find((each) => isWithin(each, parent, process.platform)) ?? parent;
  const name = relative(parent, path);
  return AnchoredDirectory.open(base).then((start) =>
    walkDown(start, segmentsBetween(base, parent), (last) => act(last, name)),
  );
}

/** Opens a directory, from the first of `bases` that contains it. */
export function inDirectory<R>(
  path: string,
  bases: readonly string[],
  act: (directory: AnchoredDirectory) => Promise<R>,
): Promise<R> {
  const base = bases.find((each) => isWithin(each, path, process.platform)) ?? path;
  return AnchoredDirectory.open(base).then((start) => walkDown(start, segmentsBetween(base, path), act));
}

function segmentsBetween(base: string, path: string): readonly string[] {
  return relative(base, path)
    .split(sep)
    .filter((segment) => segment !== '');
}

/**
 * Folders below a root, each opened once and kept open, so that work in a folder can be finished even if somebody
 * moves it. The root stays open.
 */
export class OpenFolders {
  readonly #root: AnchoredDirectory;
  readonly #open = new Map<string, Promise<AnchoredDirectory>>();

  constructor(root: AnchoredDirectory) {
    this.#root = root;
  }

  /** @param isMade - Makes missing folders. */
  get(folders: readonly string[], isMade = false): Promise<AnchoredDirectory> {
    const name = folders.at(-1);
    if (name === undefined) return Promise.resolve(this.#root);
    const key = folders.join('/');
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = this.get(folders.slice(0, -1), isMade).then((parent) =>
      isMade ? parent.ensureDirectory(name) : parent.openDirectory(name),
    );
    this.#open.set(key, opened);
    // A missing folder may be made later.
    opened.catch(() => this.#open.delete(key));
    return opened;
  }

  /** `undefined`: it is missing, or not a folder. */
  async find(folders: readonly string[]): Promise<AnchoredDirectory | undefined> {
    return this.get(folders).catch((error: unknown) => {
      if (error instanceof WorkspaceSecurityError || codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values())
      await opened.then(
        (each) => each.close(),
        () => {},
      );
  }
}

/** `undefined` when it is missing, or not a folder. */
export async function ifReachable<R>(
  root: AnchoredDirectory,
  folders: readonly string[],
  act: (folder: AnchoredDirectory) => Promise<R>,
): Promise<R | undefined> {
  const open = new OpenFolders(root);
  try {
    const folder = await open.find(folders);
    return folder === undefined ? undefined : await act(folder);
  } finally {
    await open.close();
  }
}

/** `undefined`: the name does not exist. */
export function lookAt(folder: AnchoredDirectory, name: string): Promise<Stats | undefined> {
  return folder.lstat(name).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** A directory that is made for its first file. */
export class LazyDirectory {
  readonly #make: () => Promise<AnchoredDirectory>;
  #made: Promise<AnchoredDirectory> | undefined;

  constructor(make: () => Promise<AnchoredDirectory>) {
    this.#make = make;
  }

  get(): Promise<AnchoredDirectory> {
    this.#made ??= this.#make();
    return this.#made;
  }

  child(name: string): LazyDirectory {
    return new LazyDirectory(async () => (await this.get()).ensureDirectory(name));
  }

  async close(): Promise<void> {
    await (await this.#made?.catch(() => undefined))?.close();
  }
}
