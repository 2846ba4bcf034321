import type { Dirent } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { codeOf, unlessCode } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject } from '../../util/json.js';
import {
  arrayOf,
  boolean,
  count,
  custom,
  nonEmptyString,
  nullOr,
  string,
  type Validator,
} from '../../util/validate.js';
import {
  AdapterConfigError,
  AdapterError,
  WorkspaceBudgetExceededError,
  WorkspaceSecurityError,
  WorkspaceSourceMissingError,
} from '../errors/adapter-error.js';
import { checkFields } from '../options/read-fields.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { copyFile } from './file-content.js';
import { type PathFilter, pathFilter } from './glob.js';
import { isWithin, relativeSegments } from './vfs-path.js';
import { closing, inDirectory, inParentOf } from './walk-down.js';
import type { HostMount, HostMountPreview } from './workspace.js';

interface CopyMountsInput {
  readonly mounts: readonly HostMount[];
  /** Empty: every directory is allowed. */
  readonly allowedHostRoots: readonly string[];
  /** Relative paths are resolved against it. */
  readonly hostCwd: string;
  /** The target of the copies. */
  readonly workspace: AnchoredDirectory;
  readonly onEntry?: CopySurroundings['onEntry'];
}

const MOUNT: Readonly<Record<keyof HostMount, Validator>> = {
  hostPath: nonEmptyString,
  mountPath: custom(
    'a relative path',
    (value) => typeof value === 'string' || (isJsonObject(value) && Array.isArray(value.segments)),
  ),
  includeGlob: arrayOf(string),
  excludeGlob: arrayOf(string),
  maxBytes: count,
  followSymlinks: nullOr(boolean),
};

/** Copies the mounts in their order. Stops at the first failure; the caller removes what was copied. */
export async function copyMounts(input: CopyMountsInput): Promise<readonly HostMountPreview[]> {
  const { mounts, allowedHostRoots, hostCwd, workspace, onEntry } = input;
  const realRoots = await resolveRoots(allowedHostRoots, hostCwd);
  const host = { cwd: hostCwd, realRoots: allowedHostRoots.length === 0 ? undefined : realRoots };
  const previews: HostMountPreview[] = [];
  for (const [index, mount] of mounts.entries()) {
    const field = `mounts[${index}]`;
    try {
      checkFields(mount, field, MOUNT, ['hostPath']);
      const resolved = await resolveMount(mount, field, host);
      const copier = new MountCopier(resolved, { realRoots, workspaceId: workspace.id, onEntry });
      previews.push(await copyBelow(new LazyDirectory(async () => workspace), resolved.targetSegments, copier));
    } catch (error) {
      throw error instanceof AdapterError ? error : failed(field, mount, error);
    }
  }
  return previews;
}

/** Makes the folders above the target when needed, and closes them. */
function copyBelow(
  parent: LazyDirectory,
  [first = '', ...rest]: readonly string[],
  copier: MountCopier,
): Promise<HostMountPreview> {
  if (rest.length === 0) return copier.copy(parent, first);
  return closing(parent.child(first), (child) => copyBelow(child, rest, copier));
}

function failed(field: string, mount: HostMount, error: unknown): AdapterConfigError {
  const code = codeOf(error);
  return new AdapterConfigError(
    `\`${field}\` (${mount.hostPath}) could not be copied: ${errorText(error)}`,
    [`${field}.hostPath`],
    { cause: error, ...(code === undefined ? {} : { code }) },
  );
}

/** A mount with its source and its target. */
interface ResolvedMount {
  readonly mount: HostMount;
  /** Such as `mounts[0]`, for messages. */
  readonly field: string;
  readonly realPath: string;
  readonly isDirectory: boolean;
  readonly targetSegments: readonly string[];
}

interface Host {
  readonly cwd: string;
  /** `undefined`: everything is allowed. */
  readonly realRoots: readonly string[] | undefined;
}

/** Real paths of the allowed roots, without those that do not exist. */
async function resolveRoots(roots: readonly string[], hostCwd: string): Promise<readonly string[]> {
  const real = await Promise.all(roots.map((root) => realpath(resolve(hostCwd, root)).catch(() => undefined)));
  return real.filter((root) => root !== undefined);
}

async function resolveMount(mount: HostMount, field: string, host: Host): Promise<ResolvedMount> {
  const { hostPath } = mount;
  if (hostPath.includes('\0')) throw new WorkspaceSecurityError(hostPath, `\`${field}.hostPath\` has a NUL`);
  // First: an invalid target is an error whatever the source is.
  const given = mount.mountPath === undefined ? undefined : relativeSegments(mount.mountPath, process.platform);
  const { path, realPath } = await find(hostPath, field, host);
  if (host.realRoots?.some((root) => isWithin(root, realPath, process.platform)) === false) {
    throw new WorkspaceSecurityError(
      hostPath,
      `\`${field}.hostPath\` is ${hostPath}, which is in none of the allowed roots: ${host.realRoots.join(', ') || 'none of them exists'}`,
      { hint: 'Add its directory to `allowedHostRoots`, or mount something inside.' },
    );
  }
  if (mount.followSymlinks !== true && (await lstat(path)).isSymbolicLink()) {
    throw new WorkspaceSecurityError(hostPath, `\`${field}.hostPath\` is ${hostPath}, a symbolic link`, {
      hint: `Mount ${realPath}, or set \`followSymlinks\`.`,
    });
  }
  const entry = await lstat(realPath);
  if (!entry.isFile() && !entry.isDirectory()) {
    throw new AdapterConfigError(`\`${field}.hostPath\` is ${hostPath}, which is neither a file nor a directory`, [
      `${field}.hostPath`,
    ]);
  }
  const targetSegments = given ?? relativeSegments(basename(path), process.platform);
  return { mount, field, realPath, isDirectory: entry.isDirectory(), targetSegments };
}

async function find(
  hostPath: string,
  field: string,
  host: Host,
): Promise<{ readonly path: string; readonly realPath: string }> {
  const starts = isAbsolute(hostPath) ? [host.cwd] : [host.cwd, ...(host.realRoots ?? [])];
  for (const start of starts) {
    const path = resolve(start, hostPath);
    const real = await unlessCode(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'], realpath(path));
    if (real !== undefined) return { path, realPath: real };
  }
  throw new WorkspaceSourceMissingError(
    hostPath,
    `\`${field}.hostPath\` is ${hostPath}, and there is no such file or directory`,
    { hint: `Looked in ${starts.join(', ')}.` },
  );
}

/** A directory that is made for its first file. */
class LazyDirectory {
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

const PREVIEW_ENTRIES = 20;
/** Each level keeps two directories open. */
const MAX_DEPTH = 200;
/** Links to each other can double the walk at each step. */
const MAX_LINKED_FOLDERS = 10_000;

interface CopySurroundings {
  /** Real paths that links may lead to. */
  readonly realRoots: readonly string[];
  /** Identity of the workspace, which must not be copied into itself. */
  readonly workspaceId: string;
  /** Called with each entry before it is opened. @internal For tests. */
  readonly onEntry?: ((path: string) => void) | undefined;
}

/** The folder for the copy of an entry, and the path of the entry below the mount. */
interface Place {
  readonly target: LazyDirectory;
  readonly path: string;
  /** Identities of the folders above. Entering one again would never end. */
  readonly above: readonly string[];
}

/** Copies one mount. */
class MountCopier {
  readonly #mount: ResolvedMount;
  readonly #around: CopySurroundings;
  readonly #filter: PathFilter;
  /** Readable directories, with the mount first. */
  readonly #bases: readonly string[];
  readonly #entries: string[] = [];
  #entryCount = 0;
  #bytes = 0;
  #linkedFolders = 0;

  constructor(mount: ResolvedMount, around: CopySurroundings) {
    this.#mount = mount;
    this.#around = around;
    this.#bases = [...(mount.isDirectory ? [mount.realPath] : []), ...around.realRoots];
    this.#filter = pathFilter(mount.mount.includeGlob ?? [], mount.mount.excludeGlob ?? []);
  }

  async copy(parent: LazyDirectory, name: string): Promise<HostMountPreview> {
    const { mount, realPath, isDirectory, targetSegments } = this.#mount;
    const { realRoots, workspaceId } = this.#around;
    if (isDirectory) {
      await closing(parent.child(name), async (target) => {
        await target.get();
        const place = { target, path: '', above: [workspaceId] };
        await inDirectory(realPath, realRoots, (source) => this.#copyFolder(source, place));
      });
    } else {
      await inParentOf(realPath, realRoots, async (source, file) => {
        if (this.#filter.takes(file)) await this.#copyFile(source, file, { target: parent, path: file }, name);
      });
    }
    return {
      hostPath: mount.hostPath,
      resolvedHost: realPath,
      mountPath: targetSegments.join('/'),
      entries: this.#entries,
      entryCount: this.#entryCount,
      isDirectory,
      bytesCopied: this.#bytes,
    };
  }

  async #copyFolder(source: AnchoredDirectory, { target, path, above }: Place): Promise<void> {
    if (above.includes(source.id)) return;
    if (above.length > MAX_DEPTH) throw this.#tooMuch(`is nested deeper than ${MAX_DEPTH} folders at ${source.path}`);
    const inside = [...above, source.id];
    for (const entry of await source.entries()) {
      const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
      this.#around.onEntry?.(entryPath);
      await this.#copyEntry(source, entry, { target, path: entryPath, above: inside });
    }
  }

  async #copyEntry(source: AnchoredDirectory, entry: Dirent, place: Place): Promise<void> {
    const { name } = entry;
    const { path } = place;
    if (entry.isFile()) {
      if (this.#filter.takes(path)) await this.#copyFile(source, name, place);
    } else if (entry.isDirectory()) {
      if (this.#filter.skipsFolder(path)) return;
      // Gone by now, or its name is not text.
      const child = await unlessCode(['ENOENT'], source.openDirectory(name));
      if (child !== undefined) await closing(child, (folder) => this.#copyChild(folder, name, place));
    } else if (entry.isSymbolicLink()) {
      if (this.#mount.mount.followSymlinks !== true || this.#filter.skipsFolder(path)) return;
      await this.#follow(source, name, place);
    }
  }

  #copyChild(source: AnchoredDirectory, name: string, { target, path, above }: Place): Promise<void> {
    return closing(target.child(name), (child) => this.#copyFolder(source, { target: child, path, above }));
  }

  async #follow(source: AnchoredDirectory, name: string, place: Place): Promise<void> {
    const { path } = place;
    // A broken or circular link is left out.
    const real = await unlessCode(['ENOENT', 'ELOOP', 'ENOTDIR'], source.realpath(name));
    if (real === undefined) return;
    if (!this.#bases.some((base) => isWithin(base, real, process.platform))) {
      throw new WorkspaceSecurityError(
        path,
        `\`${this.#mount.field}\` holds the link ${join(source.path, name)}, which leads to ${real}: outside the mount and every allowed root`,
        { hint: 'Leave it out with `excludeGlob`, or add its target to `allowedHostRoots`.' },
      );
    }
    const isFolder =
      this.#bases.includes(real) ||
      (await inParentOf(real, this.#bases, async (parent, file) => {
        const found = await parent.lstat(file);
        if (found.isFile() && this.#filter.takes(path)) await this.#copyFile(parent, file, place, name);
        return found.isDirectory();
      }));
    if (!isFolder) return;
    this.#linkedFolders += 1;
    if (this.#linkedFolders > MAX_LINKED_FOLDERS) {
      throw this.#tooMuch(`has more than ${MAX_LINKED_FOLDERS} links to folders`);
    }
    await inDirectory(real, this.#bases, (folder) => this.#copyChild(folder, name, place));
  }

  async #copyFile(
    source: AnchoredDirectory,
    name: string,
    { target, path }: Pick<Place, 'target' | 'path'>,
    targetName = name,
  ): Promise<void> {
    const opened = await unlessCode(['ENOENT'], source.openFile(name));
    // A pipe, a socket, a device.
    if (opened === undefined) return;
    const check = (bytes: number) => this.#checkBudget(path, bytes);
    try {
      this.#bytes += await closing(opened, async (file) => copyFile(file, await target.get(), targetName, check));
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? this.#conflict(path, error) : error;
    }
    this.#entryCount += 1;
    if (this.#entries.length < PREVIEW_ENTRIES) this.#entries.push(path);
  }

  #checkBudget(path: string, bytes: number): void {
    const { maxBytes } = this.#mount.mount;
    if (maxBytes === undefined || this.#bytes + bytes <= maxBytes) return;
    throw new WorkspaceBudgetExceededError(
      path,
      `\`${this.#mount.field}\` is larger than its \`maxBytes\` of ${maxBytes}: ${this.#bytes} bytes were copied, and ${path} has ${bytes} or more`,
      { hint: 'Raise `maxBytes`, or leave files out with `excludeGlob`.' },
    );
  }

  #conflict(path: string, cause: unknown): AdapterConfigError {
    return new AdapterConfigError(
      `\`${this.#mount.field}\` would put ${path} where another mount, or a name that differs only by case, already put a file`,
      [`${this.#mount.field}.mountPath`],
      { cause },
    );
  }

  #tooMuch(what: string): AdapterConfigError {
    const field = `${this.#mount.field}.hostPath`;
    return new AdapterConfigError(`\`${field}\` ${what}`, [field], {
      hint: 'Leave it out with `excludeGlob`, or mount less.',
    });
  }
}
