import { readlink, realpath } from 'node:fs/promises';
import nodePath, { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { codeOf } from '../../util/error-code.js';

/** By name alone: `child` is `parent` or below it. Both are absolute. */
export function isBelow(parent: string, child: string, path: typeof nodePath = nodePath): boolean {
  const way = path.relative(parent, child);
  return !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}

/** By where the paths really lead. A path that cannot be judged is outside. */
export async function isReallyInside(dirs: readonly string[], path: string): Promise<boolean> {
  try {
    const real = await strictRealPath(path);
    for (const dir of dirs) {
      if (isBelow(await strictRealPath(dir), real)) return true;
    }
    return false;
  } catch {
    return false;
  }
}

/**
 * Every absolute path that the CLI may resolve `path` to. It trims a path before it resolves it, and may trim the
 * result again: `link /x/..` becomes `link ` and then `link`.
 */
export function readings(path: string, base: string): readonly string[] {
  const found: string[] = [];
  for (let next = nodePath.resolve(base, path.trim()); !found.includes(next); ) {
    found.push(next);
    next = nodePath.resolve(next.trim());
  }
  return found;
}

/** Windows drops dots and spaces at the end of a name, and reads the part after a colon as a stream of the file. */
export function hasOddNames(path: string, platform: typeof nodePath = nodePath): boolean {
  if (platform.sep !== '\\') return false;
  const names = path.slice(platform.parse(path).root.length).split(/[\\/]/);
  return names.some((name) => name !== '.' && name !== '..' && /[ .]$|:/.test(name));
}

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
