import { randomUUID } from 'node:crypto';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { AdapterError } from '../errors/adapter-error.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { WorkspaceSecurityError } from '../errors/workspace-errors.js';
import type { Session } from '../session/session.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { isConfiguration } from './host-configuration.js';
import { requireThat } from './resolve-mount.js';
import { modifiedFiles } from './sync-workspace.js';
import { formatVfsPath, isWithin, relativeSegments } from './vfs-path.js';
import type { ClaudeAgentWorkspace } from './workspace.js';

interface Writing {
  readonly path: string;
  readonly content: string;
  /** Below the real target, through no link. */
  readonly folders: readonly string[];
  readonly name: string;
}

/**
 * Writes the files of `extractModifiedFiles()` below a directory of the host, each at once as a whole. Parents, and the
 * directory itself, are made; what is deleted in the workspace stays. All paths are looked at before the first file is written.
 * What the CLI or Git would take for their own is left out: folders named `.claude` or `.git`, `.mcp.json`, `.claude.json`.
 *
 * @param targetDir - Absolute, or relative to the directory of this process.
 * @returns absolute paths of what was written.
 * @throws {@link WorkspaceSecurityError} a path leaves `targetDir`, or leads to what is left out, itself or through a link.
 */
export async function writeBackToHost(
  session: Session,
  workspace: ClaudeAgentWorkspace,
  targetDir: string,
): Promise<readonly string[]> {
  const isPath = typeof targetDir === 'string' && targetDir !== '' && !targetDir.includes('\0');
  requireThat(isPath, 'targetDir', 'the path of a directory', targetDir);
  const files = modifiedFiles(session, workspace).filter(
    ({ path }) => !isConfiguration(path.segments),
  );
  const written: string[] = [];
  try {
    const wanted = files.map(({ path, content }) => ({
      path: formatVfsPath(path),
      segments: relativeSegments(path, process.platform),
      content,
    }));
    if (wanted.length === 0) return [];
    await mkdir(targetDir, { recursive: true });
    const target = await realpath(resolve(targetDir));
    const plan: Writing[] = [];
    for (const { path, segments, content } of wanted)
      plan.push({ path, content, ...(await locate(target, segments, path)) });
    const root = await AnchoredDirectory.open(target);
    try {
      for (const each of plan) {
        await writeBelow(root, each);
        written.push(join(target, ...each.folders, each.name));
      }
    } finally {
      await root.close();
    }
    return written;
  } catch (error) {
    if (error instanceof AdapterError) throw error;
    const code = codeOf(error);
    throw new AdapterConfigError(
      `The files could not be written to ${targetDir}: ${errorText(error)}. Written before: ${written.join(', ') || 'none'}`,
      ['targetDir'],
      { cause: error, ...(code === undefined ? {} : { code }) },
    );
  }
}

/** Where a file really goes. Links that stay inside are followed here, once, and no more when it is written. */
async function locate(
  target: string,
  segments: readonly string[],
  shown: string,
): Promise<Pick<Writing, 'folders' | 'name'>> {
  let at = target;
  for (const [index, segment] of segments.entries()) {
    const next = join(at, segment);
    const real = await realpath(next).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (codeOf(error) === 'ELOOP') return '';
      throw error;
    });
    if (real === undefined && !(await isLink(next))) {
      return split(target, join(next, ...segments.slice(index + 1)), shown);
    }
    if (
      real === undefined ||
      !isWithin(target, real, process.platform) ||
      (real === target && index === segments.length - 1)
    ) {
      throw new WorkspaceSecurityError(
        shown,
        `${shown} would leave ${target} through the link ${next}`,
        { hint: 'Remove the link, or write to another directory.' },
      );
    }
    at = real;
  }
  return split(target, at, shown);
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
}

function split(target: string, path: string, shown: string): Pick<Writing, 'folders' | 'name'> {
  const segments = relative(target, path).split(sep);
  if (isConfiguration(segments)) {
    throw new WorkspaceSecurityError(
      shown,
      `${shown} would become ${path}, which is configuration, through a link`,
      { hint: 'Remove the link, or write to another directory.' },
    );
  }
  return { folders: segments.slice(0, -1), name: segments.at(-1) ?? '' };
}

async function writeBelow(root: AnchoredDirectory, { folders, name, content }: Writing) {
  let at = root;
  try {
    for (const folder of folders) {
      const next = await at.ensureDirectory(folder);
      if (at !== root) await at.close();
      at = next;
    }
    await replaceFile(at, name, content);
  } finally {
    if (at !== root) await at.close();
  }
}

/** A new file takes the old one's place: nobody sees half of it, and another name of the old file (a hard link) keeps its content. */
async function replaceFile(
  folder: AnchoredDirectory,
  name: string,
  content: string,
): Promise<void> {
  const old = await folder.lstat(name).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (old !== undefined && !old.isFile()) {
    throw new WorkspaceSecurityError(
      join(folder.path, name),
      `${join(folder.path, name)} is not a regular file, and is not replaced`,
    );
  }
  const temporary = `.${randomUUID()}.tmp`;
  const file = await folder.createFile(temporary, 0o666);
  try {
    try {
      await file.writeFile(content);
      if (old !== undefined) await file.chmod(old.mode & 0o777);
    } finally {
      await file.close();
    }
    await folder.rename(temporary, name);
  } catch (error) {
    await folder.unlink(temporary).catch(() => undefined);
    throw error;
  }
}
