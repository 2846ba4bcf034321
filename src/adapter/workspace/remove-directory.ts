import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { codeOf, unlessCode } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { closing, inParentOf } from './walk-down.js';

/** Deeper folders are moved to the top first, which limits open handles and path lengths. */
const MAX_DEPTH = 64;

/**
 * Removes a directory with its content. It never follows a link, not even one that replaces a folder meanwhile, and
 * unlocks folders without permissions. A missing directory is fine.
 * @param path - Real and absolute.
 */
export async function removeDirectory(path: string): Promise<void> {
  const removal = inParentOf(path, [dirname(path)], async (parent, name) => {
    await closing(openToEmpty(parent, name), (top) => emptyFolder(top, top, 0));
    await parent.rmdir(name);
  });
  await unlessCode(['ENOENT'], removal);
}

async function emptyFolder(folder: AnchoredDirectory, top: AnchoredDirectory, depth: number): Promise<void> {
  // Repeats while there are entries: deep folders were moved up, and a process may still write.
  for (let round = 0; round < 10_000; round += 1) {
    await folder.makeNameable();
    const entries = await folder.entries();
    if (entries.length === 0) return;
    for (const { name } of entries) {
      try {
        if ((await folder.lstat(name)).isDirectory()) await removeFolder(folder, name, top, depth);
        else await folder.unlink(name);
      } catch (error) {
        // Gone, or replaced by now. The next round handles it.
        const isPassing = error instanceof WorkspaceSecurityError;
        if (!isPassing && !['ENOENT', 'ENOTEMPTY', 'EISDIR'].includes(codeOf(error) ?? '')) throw error;
      }
    }
    if (depth > 0) return;
  }
}

async function removeFolder(
  parent: AnchoredDirectory,
  name: string,
  top: AnchoredDirectory,
  depth: number,
): Promise<void> {
  if (depth >= MAX_DEPTH) return parent.rename(name, randomUUID(), top);
  await closing(openToEmpty(parent, name), (folder) => emptyFolder(folder, top, depth + 1));
  await parent.rmdir(name);
}

/** Opens a folder and makes sure that its entries can be removed. */
async function openToEmpty(parent: AnchoredDirectory, name: string): Promise<AnchoredDirectory> {
  const { mode } = await parent.lstat(name);
  if ((mode & 0o700) !== 0o700) await parent.unlock(name);
  return parent.openDirectory(name);
}
