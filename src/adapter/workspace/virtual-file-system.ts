import { Buffer } from 'node:buffer';
import type { Session } from '../state/index.js';
import { defineEvent, defineSlice } from '../state/index.js';
import { formatVfsPath, relativeSegments, type VfsPath } from './vfs-path.js';

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
  /**
   * Permission bits of the file in the workspace, such as `0o755`. Left out where nobody told: then it is not
   * executable.
   */
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
  const at = placeOf(files, key);
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
    const file = files[placeOf(files, path)];
    return file === undefined ? '' : formatVfsPath(file.path);
  };
  if (from(`${key}/`).startsWith(`${key}/`)) throw new Error(`${key} is a folder`);
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    const folder = key.slice(0, end);
    if (from(folder) === folder) throw new Error(`${folder} is a file, so ${key} cannot be written`);
  }
}

/**
 * Index of the first file whose path is not before `key`. A binary search, since thousands of files are written one
 * by one.
 */
function placeOf(files: readonly VfsFile[], key: string): number {
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
  return [
    {
      files: files.filter(({ path }) => {
        const each = formatVfsPath(path);
        return each !== key && !each.startsWith(`${key}/`);
      }),
    },
  ];
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

export function sortFiles(files: readonly VfsFile[]): readonly VfsFile[] {
  const keyed = files.map((file) => ({ file, key: formatVfsPath(file.path) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ file }) => file);
}

function checkedKey(path: VfsPath): string {
  return formatVfsPath({ segments: relativeSegments(path, 'linux') });
}
