import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Dirent, lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import { wrongWith } from './vfs-path.js';

/**
 * A directory that is held open. Its entries are reached through the handle, so swapping a directory above it for a
 * link has no effect.
 *
 * Node has no `openat`. On Linux `/proc/self/fd/N/name` does the same. Elsewhere the path is checked before and after
 * each step.
 */
export class AnchoredDirectory implements AsyncDisposable {
  /** The path at the time of opening, for messages. */
  readonly path: string;
  readonly #handle: FileHandle | undefined;
  /** A path to the directory that swaps cannot affect. `undefined` where there is none. */
  readonly #anchor: string | undefined;
  readonly #identity: Identity;

  private constructor(path: string, handle: FileHandle | undefined, found: Found) {
    this.path = path;
    this.#handle = handle;
    this.#anchor = found.anchor;
    this.#identity = found.identity;
  }

  /** @param path - Real and absolute. @throws {@link WorkspaceSecurityError} it is a link, or not a directory. */
  static async open(path: string): Promise<AnchoredDirectory> {
    const directory = await AnchoredDirectory.#openAt(path, path);
    try {
      // `open` follows a link above the directory.
      if ((await realpath(path)) !== path) throw changed(path);
      return directory;
    } catch (error) {
      await directory.close();
      throw error;
    }
  }

  static async #openAt(at: string, path: string): Promise<AnchoredDirectory> {
    if (process.platform === 'win32') {
      const entry = await lstat(path);
      if (!entry.isDirectory()) throw changed(path);
      return new AnchoredDirectory(path, undefined, { anchor: undefined, identity: entry });
    }
    const handle = await open(at, READ | DIRECTORY).catch((error: unknown) => {
      throw isLinkError(error) ? changed(path, error) : error;
    });
    try {
      const identity = await handle.stat();
      const anchor = await anchorOf(handle, identity);
      return new AnchoredDirectory(path, handle, { anchor, identity });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Sorted by name, without names that are not UTF-8, since those cannot be opened. */
  async entries(): Promise<readonly Dirent[]> {
    const found = await this.#guarded('', (at) => readdir(at, { withFileTypes: true }));
    const isDoubtful = found.some(({ name }) => name.includes('\ufffd'));
    // Several names may read the same, and one of them may really have this character.
    const names = isDoubtful ? new Set(await this.#readableNames()) : undefined;
    return found
      .filter(({ name }) => names === undefined || names.delete(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #readableNames(): Promise<readonly string[]> {
    const names = await this.#guarded('', (at) => readdir(at, { encoding: 'buffer' }));
    return names.filter(isReadable).map(String);
  }

  lstat(name: string): Promise<Stats> {
    return this.#guarded(name, (at) => lstat(at));
  }

  /** The path of an entry without links. */
  realpath(name: string): Promise<string> {
    return this.#guarded(name, (at) => realpath(at));
  }

  /** Unique among the existing directories. */
  get id(): string {
    return `${this.#identity.dev}:${this.#identity.ino}`;
  }

  /** @throws {@link WorkspaceSecurityError} it is a link, or not a directory. */
  openDirectory(name: string): Promise<AnchoredDirectory> {
    return this.#guarded(name, (at) => AnchoredDirectory.#openAt(at, join(this.path, name)));
  }

  /**
   * Opens a regular file for reading.
   * @returns `undefined` for a socket, a pipe, a device or a directory.
   * @throws {@link WorkspaceSecurityError} it is a link.
   */
  async openFile(name: string): Promise<FileHandle | undefined> {
    const path = join(this.path, name);
    const handle = await this.#guarded(name, (at) => open(at, READ)).catch((error: unknown) => {
      // ENXIO, EOPNOTSUPP: a socket.
      if (['ENXIO', 'EOPNOTSUPP', 'EISDIR'].includes(codeOf(error) ?? '')) return undefined;
      throw isLinkError(error) ? changed(path, error) : error;
    });
    if (handle === undefined) return undefined;
    try {
      const opened = await handle.stat();
      if (opened.isFile()) {
        // Without an anchor, the name may have been a link for a moment.
        if (this.#anchor === undefined && !sameFile(await lstat(path), opened)) throw changed(path);
        return handle;
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  /** Opens a new file for writing. Rejects with `EEXIST` when the name exists, even as a link. */
  createFile(name: string, mode = 0o600): Promise<FileHandle> {
    return this.#guarded(name, (at) => open(at, CREATE, mode));
  }

  /** Opens the directory of that name, and makes it when it is missing. */
  async ensureDirectory(name: string): Promise<AnchoredDirectory> {
    await this.#guarded(name, (at) => mkdir(at)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    return this.openDirectory(name);
  }

  /** Moves an entry over another name, in this directory or in `target`. */
  rename(from: string, to: string, target: AnchoredDirectory = this): Promise<void> {
    return this.#guarded(from, (at) => target.#guarded(to, (other) => rename(at, other)));
  }

  /** Gives a file a second name. Rejects with `EEXIST` when that name exists. */
  link(from: string, to: string): Promise<void> {
    return this.#guarded(from, (at) => this.#guarded(to, (other) => link(at, other)));
  }

  /**
   * Moves the entry `from` over `name`, or removes `name` without one, if `isExpected` accepts what is there. It checks
   * and acts in one tick, so a race of a few microseconds remains: Node cannot do both in one system call.
   * @returns false: `isExpected` returned false, and nothing was done.
   */
  replaceIf(
    name: string,
    from: string | undefined,
    isExpected: (there: Stats | undefined) => boolean,
  ): Promise<boolean> {
    return this.#guarded(from ?? name, (source) =>
      this.#guarded(name, async (at) => {
        if (!isExpected(lstatSync(at, { throwIfNoEntry: false }))) return false;
        if (from === undefined) unlinkSync(at);
        else renameSync(source, at);
        return true;
      }),
    );
  }

  unlink(name: string): Promise<void> {
    return this.#guarded(name, (at) =>
      unlink(at).catch(async (error: unknown) => {
        // Windows does not remove read-only files.
        if (process.platform !== 'win32' || codeOf(error) !== 'EPERM') throw error;
        await chmod(at, 0o600);
        await unlink(at);
      }),
    );
  }

  /** Renames entries whose names are not UTF-8. */
  async makeNameable(): Promise<void> {
    await this.#guarded('', async (at) => {
      for (const name of await readdir(at, { encoding: 'buffer' })) {
        if (isReadable(name)) continue;
        const from = Buffer.concat([Buffer.from(at.endsWith('/') ? at : `${at}/`), name]);
        await rename(from, join(at, randomUUID()));
      }
    });
  }

  rmdir(name: string): Promise<void> {
    return this.#guarded(name, (at) => rmdir(at));
  }

  /** Gives the owner all rights on a subdirectory. Never follows a link. */
  async unlock(name: string): Promise<void> {
    if (this.#anchor === undefined) return;
    const handle = await open(`${this.#anchor}/${name}`, PATH_ONLY | NO_FOLLOW | DIRECTORY);
    try {
      await chmod(`/proc/self/fd/${handle.fd}`, 0o700);
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #guarded<R>(name: string, act: (at: string) => Promise<R>): Promise<R> {
    if (name !== '') {
      const wrong = wrongWith(name, process.platform);
      if (wrong !== undefined) {
        const path = join(this.path, name.replaceAll('\0', '?'));
        throw new WorkspaceSecurityError(path, `A name in ${this.path} is refused: ${wrong}`);
      }
    }
    const anchor = this.#anchor;
    if (anchor !== undefined) {
      return act(`${anchor}/${name}`).catch((error: unknown) => {
        // Shows the path instead of the number of the handle.
        if (error instanceof Error) error.message = error.message.replaceAll(anchor, this.path);
        throw error;
      });
    }
    await this.#checkPlace();
    const result = await act(join(this.path, name));
    await this.#checkPlace();
    return result;
  }

  async #checkPlace(): Promise<void> {
    const there = await lstat(this.path);
    const isHere = sameFile(there, this.#identity) && (await realpath(this.path)) === this.path;
    if (!isHere) throw changed(this.path);
  }
}

function isReadable(name: Buffer): boolean {
  return Buffer.from(name.toString()).equals(name);
}

// Windows has neither. `O_NONBLOCK` keeps `open` from waiting for a FIFO.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
/** macOS: no part of the path may be a link. Node has no name for it. */
const NO_FOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0;
/** Linux: a handle for an unreadable directory. Node has no name for it. */
const PATH_ONLY = 0x20_0000;
const READ = constants.O_RDONLY | NO_FOLLOW | NO_FOLLOW_ANY | NO_WAIT;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW | NO_FOLLOW_ANY;

interface Found {
  readonly anchor: string | undefined;
  readonly identity: Identity;
}

type Identity = Pick<Stats, 'dev' | 'ino'>;

export function sameFile(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

async function anchorOf(handle: FileHandle, identity: Identity): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const anchor = `/proc/self/fd/${handle.fd}`;
  // A container may have no /proc.
  const seen = await stat(anchor).catch(() => undefined);
  return seen !== undefined && sameFile(seen, identity) ? anchor : undefined;
}

/** The errors of `open` for a link. FreeBSD has EMLINK, and a link instead of a directory gives ENOTDIR. */
function isLinkError(error: unknown): boolean {
  return ['ELOOP', 'EMLINK', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

function changed(path: string, cause?: unknown): WorkspaceSecurityError {
  return new WorkspaceSecurityError(
    path,
    `${path} is a link, or was changed while it was in use. Nothing behind it was read or written.`,
    { cause },
  );
}
