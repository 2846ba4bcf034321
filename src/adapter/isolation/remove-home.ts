import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { removeDirectory } from '../workspace/remove-directory.js';

/**
 * Removes a home with all it holds. The model's commands can write there, so it may hold what nobody expects: folders that may
 * not be entered, paths too long to name, names that are no text, and a folder that turns into a link meanwhile.
 */
export async function removeHome(path: string): Promise<void> {
  try {
    // Of the parent alone: a home that has become a link is not followed.
    await removeDirectory(join(await realpath(dirname(path)), basename(path)));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
