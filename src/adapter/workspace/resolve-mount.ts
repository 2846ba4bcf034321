import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { describeValue } from '../../util/describe-value.js';
import { codeOf } from '../../util/error-code.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { WorkspaceSecurityError, WorkspaceSourceMissingError } from '../errors/workspace-errors.js';
import { readFields } from '../options/read-fields.js';
import { isWithin, relativeSegments } from './vfs-path.js';
import type { HostMount } from './workspace.js';

/** A validated mount. */
export interface ResolvedMount {
  readonly mount: HostMount;
  /** Such as `mounts[0]`, for messages. */
  readonly field: string;
  readonly realPath: string;
  readonly isDirectory: boolean;
  readonly targetSegments: readonly string[];
}

const FIELDS = [...['hostPath', 'mountPath', 'includeGlob', 'excludeGlob', 'maxBytes', 'followSymlinks']];

/** Checks the names and types of the fields, without the file system. */
export function checkMount(mount: HostMount, field: string): void {
  const read = readFields(mount, field, FIELDS);
  const { hostPath, mountPath, includeGlob, excludeGlob, maxBytes } = mount;
  const isText = typeof hostPath === 'string' && hostPath !== '';
  requireThat(isText, `${field}.hostPath`, 'a path', hostPath);
  const isPath = mountPath === undefined || typeof mountPath === 'string' || Array.isArray(mountPath?.segments);
  requireThat(isPath, `${field}.mountPath`, 'a relative path', mountPath);
  for (const [name, globs] of Object.entries({ includeGlob, excludeGlob })) {
    const isList = Array.isArray(globs) && globs.every((each) => typeof each === 'string');
    requireThat(globs === undefined || isList, `${field}.${name}`, 'a list of strings', globs);
  }
  const isSize = maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes >= 0);
  requireThat(isSize, `${field}.maxBytes`, 'a whole number of bytes, 0 or more', maxBytes);
  read.boolean('followSymlinks', false);
}

export function requireThat(holds: boolean, field: string, expected: string, value: unknown): void {
  if (holds) return;
  throw new AdapterConfigError(`\`${field}\` must be ${expected}, not ${describeValue(value)}`, [field]);
}

/** Real paths of the allowed roots, without those that do not exist. */
export async function resolveRoots(roots: readonly string[], hostCwd: string): Promise<readonly string[]> {
  const real = await Promise.all(roots.map((root) => realpath(resolve(hostCwd, root)).catch(() => undefined)));
  return real.filter((root) => root !== undefined);
}

/**
 * Finds the source and the target of a mount.
 *
 * @param realRoots - `undefined`: everything is allowed.
 */
export async function resolveMount(
  mount: HostMount,
  field: string,
  host: { readonly cwd: string; readonly realRoots: readonly string[] | undefined },
): Promise<ResolvedMount> {
  const { hostPath } = mount;
  if (hostPath.includes('\0')) throw new WorkspaceSecurityError(hostPath, `\`${field}.hostPath\` has a NUL`);
  // First: an invalid target is an error whatever the source is.
  const given = mount.mountPath === undefined ? undefined : relativeSegments(mount.mountPath, process.platform);
  const { path, realPath } = await find(hostPath, field, host);
  if (host.realRoots?.some((root) => isWithin(root, realPath, process.platform)) === false) {
    throw new WorkspaceSecurityError(
      hostPath,
      `\`${field}.hostPath\` is ${hostPath}, which lies in none of the allowed roots: ${host.realRoots.join(', ') || 'none of them exists'}`,
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
  host: { readonly cwd: string; readonly realRoots: readonly string[] | undefined },
): Promise<{ readonly path: string; readonly realPath: string }> {
  const starts = isAbsolute(hostPath) ? [host.cwd] : [host.cwd, ...(host.realRoots ?? [])];
  for (const start of starts) {
    const path = resolve(start, hostPath);
    try {
      return { path, realPath: await realpath(path) };
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }
  throw new WorkspaceSourceMissingError(
    hostPath,
    `\`${field}.hostPath\` is ${hostPath}, and there is no such file or directory`,
    { hint: `Looked in ${starts.join(', ')}.` },
  );
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error) ?? '');
}
