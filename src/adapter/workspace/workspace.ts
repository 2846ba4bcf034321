import { isJsonObject } from '../../util/json.js';
import { wrongArgument } from '../options/read-fields.js';
import type { Session } from '../state/index.js';
import { defineSlice } from '../state/index.js';
import type { VfsPath } from './vfs-path.js';
import type { VirtualFileSystem } from './virtual-file-system.js';

/** A file or directory of the host that is copied into the workspace. */
export interface HostMount {
  /** Absolute, or relative to the directory of this process, then to each of `allowedHostRoots`. */
  readonly hostPath: string;
  /** Path of the copy below the workspace, with `/`. @defaultValue the base name of `hostPath` */
  readonly mountPath?: string | VfsPath | undefined;
  /**
   * Copies only files that one of these patterns matches; an empty list copies all. A pattern is compared with the
   * path below the mount, case matters: `*` is any characters, also `/`; `?` is one character; `[...]` is a class;
   * `**` followed by `/` is any folders, or none.
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
