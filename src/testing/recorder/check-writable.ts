import { closeSync, existsSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../util/error-code.js';

const PRIVATE = 0o600;

/**
 * Makes a folder and those above it, one by one: Node's `recursive` hangs where a file system takes no folders
 * (`/proc`).
 * @returns those that were made, the innermost first.
 * @throws Error the folder cannot be made.
 */
export function makeFolder(folder: string): readonly string[] {
  if (existsSync(folder)) return [];
  const above = dirname(folder);
  const made = above === folder ? [] : makeFolder(above);
  try {
    mkdirSync(folder);
    return [folder, ...made];
  } catch (error) {
    // Another process may have been quicker.
    if (codeOf(error) === 'EEXIST' && existsSync(folder)) return made;
    for (const each of made) rmdirSync(each);
    throw error;
  }
}

/**
 * Makes the folder of a file, and sees whether a file can be made there. Nothing is left when it cannot.
 * @throws Error why not.
 */
export function checkWritable(file: string): void {
  const made = makeFolder(dirname(file));
  const draft = `${file}.${process.pid}.tmp`;
  try {
    closeSync(openSync(draft, 'wx', PRIVATE));
  } catch (error) {
    for (const each of made) rmdirSync(each);
    throw error;
  }
  rmSync(draft, { force: true });
}
