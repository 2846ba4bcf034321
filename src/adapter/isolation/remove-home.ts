import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../util/error-code.js';
import { removeDirectory } from '../workspace/remove-directory.js';

/** Times, and milliseconds between them, for what a child of the CLI writes while the home goes. */
const [TRIES, PAUSE_MS] = [5, 50];

/**
 * Removes a home with all it holds. The model's commands can write there, so it may hold what nobody expects: folders that may
 * not be entered, paths too long to name, names that are no text, and a folder that turns into a link meanwhile.
 */
export async function removeHome(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      // Of the parent alone: a home that has become a link is not followed.
      return await removeDirectory(join(await realpath(dirname(path)), basename(path)));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (codeOf(error) !== 'ENOTEMPTY' || tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}
