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
import { WorkspaceSecurityError } from '../errors/workspace-errors.js';
import { wrongWith } from './vfs-path.js';

/**
 * A directory that is held open. What lies in it is reached through the handle, so a directory above it that is
 * swapped for a link leads nowhere else.
 *
 * Node has no `openat`. On Linux `/proc/self/fd/N/name` is the same. Elsewhere the path is used, and checked before and after each step.
 */
export class AnchoredDirectory implements AsyncDisposable {
  /** Of the directory, as it was when it was opened. For messages. */
  readonly path: string;
  readonly #handle: FileHandle | undefined;
  /** Way to the directory that no swap can bend; `undefined` where there is none. */
  readonly #anchor: string | undefined;
  readonly #identity: Identity;

  private constructor(path: string, handle: FileHandle | undefined, found: Found) {
    this.path = path;
    this.#handle = handle;
    this.#anchor = found.anchor;
    this.#identity = found.identity;
  }

  /**
   * @param path - Real and absolute.
   * @throws {@link WorkspaceSecurityError} it is a link, or no directory.
   */
  static async open(path: string): Promise<AnchoredDirectory> {
    const directory = await AnchoredDirectory.#openAt(path, path);
    try {
      // A link above it would have been followed.
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

  /** Sorted by name, without those whose names are no UTF-8: they cannot be asked for. */
  async entries(): Promise<readonly Dirent[]> {
    const found = await this.#guarded('', (at) => readdir(at, { withFileTypes: true }));
    const isDoubtful = found.some(({ name }) => name.includes('\ufffd'));
    // Two names may read alike, and one of them be the character itself.
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

  /** Where an entry really lies. */
  realpath(name: string): Promise<string> {
    return this.#guarded(name, (at) => realpath(at));
  }

  /** Tells this directory from every other one that exists at the time. */
  get id(): string {
    return `${this.#identity.dev}:${this.#identity.ino}`;
  }

  /** @throws {@link WorkspaceSecurityError} it is a link, or no directory. */
  openDirectory(name: string): Promise<AnchoredDirectory> {
    return this.#guarded(name, (at) => AnchoredDirectory.#openAt(at, join(this.path, name)));
  }

  /**
   * Opens a regular file for reading.
   *
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
        // Without an anchor the name itself may have been a link for a moment.
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

  /** Opens a new file for writing. Rejects with `EEXIST` when there is anything of that name, a link too. */
  createFile(name: string, mode = 0o600): Promise<FileHandle> {
    return this.#guarded(name, (at) => open(at, CREATE, mode));
  }

  /** Opens the directory of that name, which is made when there is none. */
  async ensureDirectory(name: string): Promise<AnchoredDirectory> {
    await this.#guarded(name, (at) => mkdir(at)).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    return this.openDirectory(name);
  }

  /** Moves an entry of this directory over another name, in this directory or in `target`. */
  rename(from: string, to: string, target: AnchoredDirectory = this): Promise<void> {
    return this.#guarded(from, (at) => target.#guarded(to, (other) => rename(at, other)));
  }

  /** Gives a file a second name. Rejects with `EEXIST` when there is anything of that name. */
  link(from: string, to: string): Promise<void> {
    return this.#guarded(from, (at) => this.#guarded(to, (other) => link(at, other)));
  }

  /**
   * Puts the entry `from` where `name` is, or removes `name` without one, unless somebody changed it. Looks and acts in one
   * tick: Node cannot do both in one system call, so a few microseconds remain.
   *
   * @returns false: `isExpected` did not hold, and nothing was done.
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
        // Windows does not remove what is marked read-only.
        if (process.platform !== 'win32' || codeOf(error) !== 'EPERM') throw error;
        await chmod(at, 0o600);
        await unlink(at);
      }),
    );
  }

  /** Gives entries whose names are no UTF-8 other names. */
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

  /** Gives the owner every right on a directory in here. Never follows a link. */
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
        // Nobody knows what such a number stands for.
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

// Windows has neither; a FIFO must not make `open` wait.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
/** macOS: no part of the path may be a link. Node has no name for it. */
const NO_FOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0;
/** Linux: a handle for a directory that may not be read. Node has no name for it. */
const PATH_ONLY = 0x20_0000;
const READ = constants.O_RDONLY | NO_FOLLOW | NO_FOLLOW_ANY | NO_WAIT;
const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW | NO_FOLLOW_ANY;

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
  // A container may come without /proc.
  const seen = await stat(anchor).catch(() => undefined);
  return seen !== undefined && sameFile(seen, identity) ? anchor : undefined;
}

/** What `open` says of a link where none is allowed; FreeBSD says EMLINK, and a link where a directory is asked for is ENOTDIR. */
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
