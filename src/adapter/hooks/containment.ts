import nodePath from 'node:path';
import { strictRealPath } from '../../util/strict-real-path.js';

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
