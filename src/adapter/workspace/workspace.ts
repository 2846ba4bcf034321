import { Buffer } from 'node:buffer';
import { isJsonObject } from '../../util/json.js';
import { wrongArgument } from '../options/read-fields.js';
import { defineEvent, defineSlice, type Session } from '../state/index.js';
import { formatVfsPath, relativeSegments, type VfsPath } from './vfs-path.js';

/** A file or directory of the host that is copied into the workspace. */
export interface HostMount {
  /** Absolute, or relative to the directory of this process, then to each of `allowedHostRoots`. */
  readonly hostPath: string;
  /** Path of the copy below the workspace, with `/`. @defaultValue the base name of `hostPath` */
  readonly mountPath?: string | VfsPath | undefined;
  /**
   * Copies only files that one of these patterns matches; an empty list copies all. A pattern is compared with the path
   * below the mount, case matters: `*` is any characters, also `/`; `?` is one character; `[...]` is a class; `**`
   * followed by `/` is any folders, or none.
   */
  readonly includeGlob?: readonly string[] | undefined;
  /** Leaves out files and whole folders that one of these patterns matches. Wins over `includeGlob`. */
  readonly excludeGlob?: readonly string[] | undefined;
  /** Limit for all its files together, in bytes. */
  readonly maxBytes?: number | undefined;
  /** Follows symbolic links inside of the mount or an allowed root. @defaultValue `false`: links are left out */
  readonly followSymlinks?: boolean | undefined;
}

/** The result of a mount. */
export interface HostMountPreview {
  /** The path as given. */
  readonly hostPath: string;
  /** Real and absolute. */
  readonly resolvedHost: string;
  /** The whole path below the workspace, with `/`. */
  readonly mountPath: string;
  /** The first 20 files, as paths below the mount. */
  readonly entries: readonly string[];
  readonly entryCount: number;
  readonly isDirectory: boolean;
  readonly bytesCopied: number;
}

/** A file that is not in the snapshot, because it is not UTF-8 or too large. */
export interface OpaqueFile {
  /** Below the workspace, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Permission bits, such as `0o644`. */
  readonly permissions?: number | undefined;
}

/** The directory of a run, with copies of the mounts. A plain JSON value. */
export interface ClaudeAgentWorkspace {
  /** Real and absolute. */
  readonly tempDir: string;
  readonly mountPreviews: readonly HostMountPreview[];
  /** The text files at the start. */
  readonly vfsSnapshot: VirtualFileSystem;
  readonly opaqueFiles: readonly OpaqueFile[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** The id of its session. */
  readonly sessionId?: string;
}

/** The slice with the workspace of a session. The latest item counts. */
export const ClaudeAgentWorkspace = defineSlice<ClaudeAgentWorkspace>('ClaudeAgentWorkspace');

/** @throws AdapterConfigError it is not a workspace. */
export function requireWorkspace(call: string, workspace: ClaudeAgentWorkspace): void {
  // Not `instanceof`: it may come from another copy of this package.
  if (typeof workspace?.tempDir === 'string' && isJsonObject(workspace.vfsSnapshot)) return;
  const cure = 'Pass the `workspace` of a ClaudeAgentWorkspaceSection.';
  throw wrongArgument('workspace', `${call}() takes a ClaudeAgentWorkspace`, workspace, cure);
}

/** @throws AdapterConfigError it is not a session. */
export function requireSession(call: string, session: Session): void {
  if (typeof session?.query === 'function' && typeof session.mutate === 'function') return;
  const cure = 'Pass the `session` of a response, or the one that the section was made with.';
  throw wrongArgument('session', `${call}() takes a Session as its first argument`, session, cure);
}

export interface VfsFile {
  readonly path: VfsPath;
  readonly content: string;
  readonly encoding: 'utf-8';
  readonly sizeBytes: number;
  /** 1 for a new file. Each write adds one. */
  readonly version: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Permission bits of the file in the workspace, such as `0o755`. When absent, it is not executable. */
  readonly permissions?: number | undefined;
}

/** The text files of a session, sorted by path. */
export interface VirtualFileSystem {
  readonly files: readonly VfsFile[];
}

/** The slice. The latest item counts. */
export const VirtualFileSystem = defineSlice<VirtualFileSystem>('VirtualFileSystem');

/**
 * Writes a file. The session refuses and logs `create` of an existing file, a path that is not relative, and a path
 * that needs a file and a folder of the same name.
 */
export interface WriteFile {
  readonly path: VfsPath;
  readonly content: string;
  readonly mode: 'create' | 'overwrite' | 'append';
  /** Permission bits, such as `0o755`. @defaultValue the current bits of the file */
  readonly permissions?: number | undefined;
}

export const WriteFile = defineEvent<WriteFile>('WriteFile');

/** Removes a file, or all files below a folder. */
export interface DeleteEntry {
  readonly path: VfsPath;
}

export const DeleteEntry = defineEvent<DeleteEntry>('DeleteEntry');

/** Registers the reducers of both events. A second call has no effect. */
export function registerVfsReducers(session: Session): void {
  session.mutate(VirtualFileSystem).register(WriteFile, reduceWrite);
  session.mutate(VirtualFileSystem).register(DeleteEntry, reduceDelete);
}

function reduceWrite(items: readonly VirtualFileSystem[], event: WriteFile): readonly VirtualFileSystem[] {
  const files = items.at(-1)?.files ?? [];
  const key = checkedKey(event.path);
  const at = indexOfKey(files, key);
  const next = files[at];
  const old = next !== undefined && formatVfsPath(next.path) === key ? next : undefined;
  if (event.mode === 'create' && old !== undefined) throw new Error(`${key} exists already`);
  if (old === undefined) refuseMixture(files, key);
  const content = event.mode === 'append' ? (old?.content ?? '') + event.content : event.content;
  const permissions = event.permissions ?? old?.permissions;
  const file = vfsFile({ path: event.path, content, permissions }, new Date().toISOString(), old);
  return [{ files: files.toSpliced(at, old === undefined ? 0 : 1, file) }];
}

/** A name cannot be a file and a folder. */
function refuseMixture(files: readonly VfsFile[], key: string): void {
  const from = (path: string) => {
    const file = files[indexOfKey(files, path)];
    return file === undefined ? '' : formatVfsPath(file.path);
  };
  if (from(`${key}/`).startsWith(`${key}/`)) throw new Error(`${key} is a folder`);
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    const folder = key.slice(0, end);
    if (from(folder) === folder) throw new Error(`${folder} is a file, so ${key} cannot be written`);
  }
}

/**
 * Index of the first file whose path is not before `key`. A binary search, since thousands of files are written one by
 * one.
 */
function indexOfKey(files: readonly VfsFile[], key: string): number {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const file = files[middle] as VfsFile;
    if (formatVfsPath(file.path) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function reduceDelete(items: readonly VirtualFileSystem[], event: DeleteEntry): readonly VirtualFileSystem[] {
  const files = items.at(-1)?.files ?? [];
  const key = checkedKey(event.path);
  const isKept = (path: string): boolean => path !== key && !path.startsWith(`${key}/`);
  return [{ files: files.filter(({ path }) => isKept(formatVfsPath(path))) }];
}

export function vfsFile(
  { path, content, permissions }: Pick<VfsFile, 'path' | 'content' | 'permissions'>,
  at: string,
  old?: VfsFile,
): VfsFile {
  return {
    path,
    content,
    encoding: 'utf-8',
    sizeBytes: Buffer.byteLength(content),
    version: (old?.version ?? 0) + 1,
    createdAt: old?.createdAt ?? at,
    updatedAt: at,
    ...(permissions === undefined ? {} : { permissions }),
  };
}

/** Whether the owner may run a file with these permission bits. */
export function isExecutable(permissions: number | undefined): boolean {
  return ((permissions ?? 0) & 0o100) !== 0;
}

function checkedKey(path: VfsPath): string {
  return formatVfsPath({ segments: relativeSegments(path, 'linux') });
}
