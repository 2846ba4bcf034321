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
  /** Where the copy lies below the workspace, with `/` between names. Default: the base name of `hostPath`. */
  readonly mountPath?: string | VfsPath | undefined;
  /**
   * Only what one of these matches is copied; an empty list takes everything. Matched against the path below the mount,
   * with `/`, by case: `*` is any characters and crosses `/`, `?` is one, `[...]` a class, and `**` with a `/` behind it also no folder at all.
   */
  readonly includeGlob?: readonly string[] | undefined;
  /** What one of these matches is left out, a folder with all it holds. Wins over `includeGlob`. */
  readonly excludeGlob?: readonly string[] | undefined;
  /** Bytes of all its files together. Exactly that many are fine. */
  readonly maxBytes?: number | undefined;
  /** Copies what symbolic links lead to, where that lies in the mount or an allowed root. Default `false`: links are left out. */
  readonly followSymlinks?: boolean | undefined;
}

/** What became of a mount. */
export interface HostMountPreview {
  /** As it was given. */
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

/** A file of the start that the snapshot does not hold: not UTF-8, or too large to keep as text. */
export interface OpaqueFile {
  /** Below the workspace, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Permission bits, such as `0o644`. */
  readonly permissions?: number | undefined;
}

/** A directory with copies of the mounts, in which a run works. A plain JSON value. */
export interface ClaudeAgentWorkspace {
  /** Real and absolute. */
  readonly tempDir: string;
  readonly mountPreviews: readonly HostMountPreview[];
  /** The text files of the start. */
  readonly vfsSnapshot: VirtualFileSystem;
  readonly opaqueFiles: readonly OpaqueFile[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** Of the session it was made for. */
  readonly sessionId?: string;
}

/** The slice in which a session keeps its workspace; the latest counts. */
export const ClaudeAgentWorkspace = defineSlice<ClaudeAgentWorkspace>('ClaudeAgentWorkspace');

/** @throws AdapterConfigError it is no workspace. */
export function requireWorkspace(call: string, workspace: ClaudeAgentWorkspace): void {
  // Also one of another copy of this package.
  if (typeof workspace?.tempDir === 'string' && isJsonObject(workspace.vfsSnapshot)) return;
  const cure = 'Pass the `workspace` of a ClaudeAgentWorkspaceSection.';
  throw wrongArgument('workspace', `${call}() takes a ClaudeAgentWorkspace`, workspace, cure);
}

/** @throws AdapterConfigError it is no session. */
export function requireSession(call: string, session: Session): void {
  if (typeof session?.query === 'function' && typeof session.mutate === 'function') return;
  const cure = 'Pass the `session` of a response, or the one that the section was made with.';
  throw wrongArgument('session', `${call}() takes a Session as its first argument`, session, cure);
}
