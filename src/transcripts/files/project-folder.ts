import { realpathSync } from 'node:fs';
import { invalidOption } from '../../errors/invalid-option.js';
import { absolutePath } from '../../util/host-places.js';

/** Longer names are cut here and end in a hash: file systems allow 255 bytes. */
export const MAX_NAME_LENGTH = 200;

/**
 * The name of the project folder of a working directory, which is also the default `projectKey` in a store:
 * its real path with every character outside `a-zA-Z0-9` as `-`.
 *
 * @param directory - @defaultValue the working directory
 * @throws {@link InvalidOptionError} not a string, or relative while the working directory does not exist.
 */
export function projectKeyForDirectory(directory = '.'): string {
  if (typeof directory !== 'string') throw invalidOption('directory', 'a path', directory);
  return folderNameOf(realDirectory(directory));
}

/** `directory` without symbolic links, spelled as on disk. Unchanged when it does not exist. */
export function realDirectory(directory: string): string {
  const absolute = absolutePath('dir', directory);
  try {
    return realpathSync.native(absolute);
  } catch {
    return absolute;
  }
}

/** The folder name of a path, which is not resolved. */
export function folderNameOf(path: string): string {
  const name = path.replace(/[^a-zA-Z0-9]/g, '-');
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}-${hashOf(path)}`;
}

/** 32-bit string hash in base 36, as the CLI computes it. */
function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  }
  return Math.abs(hash).toString(36);
}
