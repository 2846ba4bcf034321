import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The path without links. What does not exist yet is taken as written, below its nearest folder that does. */
export function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute));
  }
}
