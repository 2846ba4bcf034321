import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { codeOf } from './error-code.js';

/** Linux follows this many. */
const MAX_LINKS = 40;
/** Part of the path does not exist. After any other error (no permission, a loop, a NUL) it cannot be judged. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/**
 * Where a path really leads, also when its last parts do not exist yet: a new file is in the real path of its folder,
 * and a dangling link leads where a write through it would. Nothing is guessed.
 * @param path - absolute; `..` is taken after links, as the file system does
 * @throws what the file system says when the path cannot be judged
 */
export async function strictRealPath(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!ABSENT.has(codeOf(error) ?? '') || parent === path) throw error;
    const here = join(await strictRealPath(parent, links), basename(path));
    const target = await linkTarget(here);
    if (target === undefined) return here;
    if (links >= MAX_LINKS) throw error;
    // Not normalised: in a link's target, too, `..` comes after links.
    return strictRealPath(isAbsolute(target) ? target : `${dirname(here)}${sep}${target}`, links + 1);
  }
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
