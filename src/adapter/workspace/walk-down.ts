import type { Stats } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { unlessCode } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { isWithin } from './vfs-path.js';

/** Gives `act` something open, and closes it afterwards. */
export async function closing<T extends { close(): Promise<void> }, R>(
  opening: T | Promise<T>,
  act: (opened: T) => Promise<R>,
): Promise<R> {
  const opened = await opening;
  try {
    return await act(opened);
  } finally {
    await opened.close();
  }
}

/**
 * Opens a directory, each step by itself, from the first of `bases` that contains it.
 * @param path - Real and absolute, and so are `bases`.
 */
export async function inDirectory<R>(
  path: string,
  bases: readonly string[],
  act: (directory: AnchoredDirectory) => Promise<R>,
): Promise<R> {
  const base = bases.find((each) => isWithin(each, path, process.platform)) ?? path;
  let at = await AnchoredDirectory.open(base);
  try {
    for (const segment of relative(base, path).split(sep)) {
      if (segment === '') continue;
      const next = await at.openDirectory(segment);
      await at.close();
      at = next;
    }
    return await act(at);
  } finally {
    await at.close();
  }
}

/** Opens the parent directory of a path as {@link inDirectory} does. */
export function inParentOf<R>(
  path: string,
  bases: readonly string[],
  act: (parent: AnchoredDirectory, name: string) => Promise<R>,
): Promise<R> {
  return inDirectory(dirname(path), bases, (parent) => act(parent, basename(path)));
}

/**
 * Folders below a root, each opened once and kept open, so that work in a folder can be finished even if somebody moves
 * it. The root stays open.
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
  find(folders: readonly string[]): Promise<AnchoredDirectory | undefined> {
    const found = this.get(folders).catch((error: unknown) => {
      if (error instanceof WorkspaceSecurityError) return undefined;
      throw error;
    });
    return unlessCode(['ENOENT'], found);
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values()) await (await opened.catch(() => undefined))?.close();
  }
}

/** `undefined` when it is missing, or not a folder. */
export function ifReachable<R>(
  root: AnchoredDirectory,
  folders: readonly string[],
  act: (folder: AnchoredDirectory) => Promise<R>,
): Promise<R | undefined> {
  return closing(new OpenFolders(root), async (open) => {
    const folder = await open.find(folders);
    return folder && act(folder);
  });
}

/** `undefined`: the name does not exist. */
export function lookAt(folder: AnchoredDirectory, name: string): Promise<Stats | undefined> {
  return unlessCode(['ENOENT'], folder.lstat(name));
}
