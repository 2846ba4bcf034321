import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The path without links. What does not exist yet, or cannot be looked at, is taken as written, below its nearest folder
 * that can. For paths of a configuration; what a model asks for needs `strictRealPath`.
 */
export function lenientRealPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(lenientRealPath(parent), basename(absolute));
  }
}
