import { constants, type Stats } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/workspace-errors.js';

// Windows has neither; a FIFO must not make `open` wait.
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
export const DIRECTORY = constants.O_DIRECTORY ?? 0;
/** macOS: no part of the path may be a link. Node has no name for it. */
const NO_FOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0;
/** Linux: a handle for a directory that may not be read. Node has no name for it. */
export const PATH_ONLY = 0x20_0000;
export const READ = constants.O_RDONLY | NO_FOLLOW | NO_FOLLOW_ANY | NO_WAIT;
export const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW | NO_FOLLOW_ANY;

export interface Found {
  readonly anchor: string | undefined;
  readonly identity: Identity;
}

export type Identity = Pick<Stats, 'dev' | 'ino'>;

export function sameFile(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

export async function anchorOf(
  handle: FileHandle,
  identity: Identity,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const anchor = `/proc/self/fd/${handle.fd}`;
  // A container may come without /proc.
  const seen = await stat(anchor).catch(() => undefined);
  return seen !== undefined && sameFile(seen, identity) ? anchor : undefined;
}

/** What `open` says of a link where none is allowed; FreeBSD says EMLINK, and a link where a directory is asked for is ENOTDIR. */
export function isLinkError(error: unknown): boolean {
  return ['ELOOP', 'EMLINK', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

export function changed(path: string, cause?: unknown): WorkspaceSecurityError {
  return new WorkspaceSecurityError(
    path,
    `${path} is a link, or was changed while it was in use. Nothing behind it was read or written.`,
    { cause },
  );
}
