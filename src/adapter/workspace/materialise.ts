import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { AdapterError } from '../errors/adapter-error.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { type CopySurroundings, MountCopier } from './mount-copier.js';
import { checkMount, type ResolvedMount, resolveMount, resolveRoots } from './resolve-mount.js';
import { LazyDirectory } from './walk-down.js';
import type { HostMount, HostMountPreview } from './workspace.js';

export interface Materialisation {
  readonly mounts: readonly HostMount[];
  /** Empty: everything is allowed. */
  readonly allowedHostRoots: readonly string[];
  /** Relative paths start here. */
  readonly hostCwd: string;
  /** Open; the copies go there. */
  readonly workspace: AnchoredDirectory;
  readonly onEntry?: CopySurroundings['onEntry'];
}

/** Copies the mounts, in their order. Stops at the first that fails; what was copied is the caller's to remove. */
export async function materialise(input: Materialisation): Promise<readonly HostMountPreview[]> {
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

/** Makes the folders above the target on demand, and closes them. */
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
