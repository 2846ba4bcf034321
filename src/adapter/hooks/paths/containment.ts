import nodePath, { type PlatformPath } from 'node:path';
import { strictRealPath } from './strict-real-path.js';

/** By name alone: `child` is `parent` or lies below it. Both absolute. */
export function isBelow(parent: string, child: string, path: PlatformPath = nodePath): boolean {
  const way = path.relative(parent, child);
  return !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}

/** By where the paths really lead. One that cannot be judged is outside. */
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
 * Every absolute path that the CLI may take `path` for. It cuts the white space around a path before it resolves it, and
 * may do so again with what it has resolved: `link /x/..` becomes `link ` and then `link`.
 */
export function readings(path: string, base: string): readonly string[] {
  const found: string[] = [];
  for (let next = nodePath.resolve(base, path.trim()); !found.includes(next); ) {
    found.push(next);
    next = nodePath.resolve(next.trim());
  }
  return found;
}

/** Windows drops dots and spaces at the end of a name, and takes what follows a colon for a stream of the file. */
export function hasOddNames(path: string, platform: PlatformPath = nodePath): boolean {
  if (platform.sep !== '\\') return false;
  const names = path.slice(platform.parse(path).root.length).split(/[\\/]/);
  return names.some((name) => name !== '.' && name !== '..' && /[ .]$|:/.test(name));
}
