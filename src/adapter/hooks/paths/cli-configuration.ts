import { relative } from 'node:path';
import { isBelow, readings } from './containment.js';
import { strictRealPath } from './strict-real-path.js';

const NAMES = new Set(['.claude', '.mcp.json']);

/**
 * Whether a path in a working directory is configuration that a later, plain start of the CLI would load from there: hooks, servers,
 * skills. By name and by where it really leads, at any depth, in any case.
 *
 * @param dirs - absolute
 */
export async function isCliConfiguration(
  path: string,
  base: string,
  dirs: readonly string[],
): Promise<boolean> {
  const ways = readings(path, base);
  const real = await Promise.all(ways.map((way) => strictRealPath(way).catch(() => way)));
  const folders = await Promise.all(dirs.map((dir) => strictRealPath(dir).catch(() => dir)));
  return [...ways, ...real].some((way) =>
    [...dirs, ...folders].some((dir) => isBelow(dir, way) && hasName(relative(dir, way))),
  );
}

function hasName(way: string): boolean {
  return way.split(/[\\/]/).some((name) => NAMES.has(folded(name)));
}

/** As the file systems compare that take several names for one: by case, compatible letters, invisible ones, dots at the end. */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/(?<![ .])[ .]+$/, '')
    .toLowerCase();
}
