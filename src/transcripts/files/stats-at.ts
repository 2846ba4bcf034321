import { lstatSync, type Stats, statSync } from 'node:fs';

/**
 * What is at `path`, a link as itself. `undefined` also where nobody can tell (a folder that must not be searched, a
 * name that is too long, a link to itself): one such place must not hide all others.
 */
export function lstatAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** As {@link lstatAt}, with links followed. */
export function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
