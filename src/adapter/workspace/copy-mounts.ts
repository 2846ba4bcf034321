import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { AdapterConfigError, AdapterError } from '../errors/adapter-error.js';
import { WorkspaceBudgetExceededError, WorkspaceSecurityError } from '../errors/workspace-errors.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { copyFile } from './file-content.js';
import { type PathFilter, pathFilter } from './glob.js';
import { checkMount, type ResolvedMount, resolveMount, resolveRoots } from './resolve-mount.js';
import { isWithin } from './vfs-path.js';
import { inDirectory, inParentOf, LazyDirectory } from './walk-down.js';
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

/** Copies the mounts in their order. Stops at the first failure; the caller removes what was copied. */
export async function copyMounts(input: CopyMountsInput): Promise<readonly HostMountPreview[]> {
  const { mounts, allowedHostRoots, hostCwd, workspace, onEntry } = input;
  const realRoots = await resolveRoots(allowedHostRoots, hostCwd);
  const host = { cwd: hostCwd, realRoots: allowedHostRoots.length === 0 ? undefined : realRoots };
  const previews: HostMountPreview[] = [];
  for (const [index, mount] of mounts.entries()) {
    const field = `mounts[${index}]`;
    try {
      checkMount(mount, field);
      const resolved = await resolveMount(mount, field, host);
      const copier = new MountCopier(resolved, { realRoots, workspaceId: workspace.id, onEntry });
      previews.push(await copyBelow(workspace, resolved, copier));
    } catch (error) {
      throw error instanceof AdapterError ? error : failed(field, mount, error);
    }
  }
  return previews;
}

/** Makes the folders above the target when needed, and closes them. */
async function copyBelow(
  workspace: AnchoredDirectory,
  { targetSegments }: ResolvedMount,
  copier: MountCopier,
): Promise<HostMountPreview> {
  const made: LazyDirectory[] = [];
  let parent = new LazyDirectory(async () => workspace);
  for (const segment of targetSegments.slice(0, -1)) {
    parent = parent.child(segment);
    made.push(parent);
  }
  try {
    return await copier.copy(parent);
  } finally {
    for (const directory of made) await directory.close();
  }
}

function failed(field: string, mount: HostMount, error: unknown): AdapterConfigError {
  const code = codeOf(error);
  return new AdapterConfigError(
    `\`${field}\` (${mount.hostPath}) could not be copied: ${errorText(error)}`,
    [`${field}.hostPath`],
    { cause: error, ...(code === undefined ? {} : { code }) },
  );
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

  /** @param parent - The folder for the last segment of the mount path. */
  async copy(parent: LazyDirectory): Promise<HostMountPreview> {
    const { mount, realPath, isDirectory, targetSegments } = this.#mount;
    const name = targetSegments.at(-1) ?? '';
    const { realRoots, workspaceId } = this.#around;
    if (isDirectory) {
      const target = parent.child(name);
      try {
        await target.get();
        await inDirectory(realPath, realRoots, (source) => this.#copyFolder(source, target, '', [workspaceId]));
      } finally {
        await target.close();
      }
    } else {
      await inParentOf(realPath, realRoots, (source, file) => {
        if (!this.#filter.takes(file)) return Promise.resolve();
        return this.#copyFile(source, file, parent, name, file);
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

  /** @param above - Identities of the folders above. Entering one again would never end. */
  async #copyFolder(
    source: AnchoredDirectory,
    target: LazyDirectory,
    path: string,
    above: readonly string[],
  ): Promise<void> {
    if (above.includes(source.id)) return;
    if (above.length > MAX_DEPTH) {
      throw this.#tooMuch(`is nested deeper than ${MAX_DEPTH} folders at ${source.path}`);
    }
    const inside = [...above, source.id];
    for (const entry of await source.entries()) {
      const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
      this.#around.onEntry?.(entryPath);
      await this.#copyEntry(source, entry, target, entryPath, inside);
    }
  }

  async #copyEntry(
    source: AnchoredDirectory,
    entry: Dirent,
    target: LazyDirectory,
    path: string,
    above: readonly string[],
  ): Promise<void> {
    const { name } = entry;
    if (entry.isFile()) {
      if (this.#filter.takes(path)) await this.#copyFile(source, name, target, name, path);
    } else if (entry.isDirectory()) {
      if (this.#filter.skipsFolder(path)) return;
      const child = await unlessGone(source.openDirectory(name));
      if (child === undefined) return;
      try {
        await this.#copyChild(child, target, name, path, above);
      } finally {
        await child.close();
      }
    } else if (entry.isSymbolicLink()) {
      if (this.#mount.mount.followSymlinks !== true || this.#filter.skipsFolder(path)) return;
      await this.#follow(source, name, target, path, above);
    }
  }

  async #copyChild(
    source: AnchoredDirectory,
    target: LazyDirectory,
    name: string,
    path: string,
    above: readonly string[],
  ): Promise<void> {
    const child = target.child(name);
    try {
      await this.#copyFolder(source, child, path, above);
    } finally {
      await child.close();
    }
  }

  async #follow(
    source: AnchoredDirectory,
    name: string,
    target: LazyDirectory,
    path: string,
    above: readonly string[],
  ): Promise<void> {
    const real = await source.realpath(name).catch((error: unknown) => {
      // A broken or circular link.
      if (['ENOENT', 'ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
      throw error;
    });
    if (real === undefined) return;
    if (!this.#bases.some((base) => isWithin(base, real, process.platform))) {
      throw new WorkspaceSecurityError(
        path,
        `\`${this.#mount.field}\` holds the link ${join(source.path, name)}, which leads to ${real}: outside the mount and every allowed root`,
        { hint: 'Leave it out with `excludeGlob`, or add its target to `allowedHostRoots`.' },
      );
    }
    if (this.#bases.includes(real)) return this.#followFolder(real, target, name, path, above);
    const isFolder = await inParentOf(real, this.#bases, async (parent, file) => {
      const found = await parent.lstat(file);
      if (found.isFile() && this.#filter.takes(path)) await this.#copyFile(parent, file, target, name, path);
      return found.isDirectory();
    });
    if (isFolder) await this.#followFolder(real, target, name, path, above);
  }

  #followFolder(
    real: string,
    target: LazyDirectory,
    name: string,
    path: string,
    above: readonly string[],
  ): Promise<void> {
    this.#linkedFolders += 1;
    if (this.#linkedFolders > MAX_LINKED_FOLDERS)
      throw this.#tooMuch(`has more than ${MAX_LINKED_FOLDERS} links to folders`);
    return inDirectory(real, this.#bases, (folder) => this.#copyChild(folder, target, name, path, above));
  }

  async #copyFile(
    source: AnchoredDirectory,
    name: string,
    target: LazyDirectory,
    targetName: string,
    path: string,
  ): Promise<void> {
    const file = await unlessGone(source.openFile(name));
    // A pipe, a socket, a device.
    if (file === undefined) return;
    try {
      const check = (bytes: number) => this.#checkBudget(path, bytes);
      this.#bytes += await copyFile(file, await target.get(), targetName, check);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw this.#conflict(path, error);
      throw error;
    } finally {
      await file.close();
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

/** `undefined` for an entry that is gone, or whose name is not text. */
async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
