import { dirname, relative, sep } from 'node:path';
import { AnchoredDirectory } from './anchored-directory.js';
import { isWithin } from './vfs-path.js';

/** Opens each directory of a path in turn. `act` gets the last one; all are closed afterwards, `start` too. */
export async function walkDown<R>(
  start: AnchoredDirectory,
  segments: readonly string[],
  act: (last: AnchoredDirectory) => Promise<R>,
): Promise<R> {
  let at = start;
  try {
    for (const segment of segments) {
      const next = await at.openDirectory(segment);
      await at.close();
      at = next;
    }
    return await act(at);
  } finally {
    await at.close();
  }
}

/**
 * Goes to the directory that holds `path`, from the first of `bases` that contains it.
 *
 * @param path - Real and absolute, and so are `bases`.
 */
export function inParentOf<R>(
  path: string,
  bases: readonly string[],
  act: (parent: AnchoredDirectory, name: string) => Promise<R>,
): Promise<R> {
  const parent = dirname(path);
  const base = bases.find((each) => isWithin(each, parent, process.platform)) ?? parent;
  const name = relative(parent, path);
  return AnchoredDirectory.open(base).then((start) =>
    walkDown(start, segmentsBetween(base, parent), (last) => act(last, name)),
  );
}

/** Opens a directory, from the first of `bases` that contains it. */
export function inDirectory<R>(
  path: string,
  bases: readonly string[],
  act: (directory: AnchoredDirectory) => Promise<R>,
): Promise<R> {
  const base = bases.find((each) => isWithin(each, path, process.platform)) ?? path;
  return AnchoredDirectory.open(base).then((start) =>
    walkDown(start, segmentsBetween(base, path), act),
  );
}

function segmentsBetween(base: string, path: string): readonly string[] {
  return relative(base, path)
    .split(sep)
    .filter((segment) => segment !== '');
}
