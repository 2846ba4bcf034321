import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf } from '../../../../src/util/error-code.js';

/** The text of a file, or why it could not be read. `ENOENT`: the file does not exist. */
export type FileContent =
  | { readonly text: string; readonly code?: never }
  | { readonly code: string; readonly text?: never };

/** No file that is looked at is nearly as long. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a regular file. A pipe or a device is not opened for long: it could have no end. */
export function readRegularFile(file: string): FileContent {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { code: 'it is not a regular file' };
    if (stat.size > MAX_BYTES) return { code: `it has more than ${MAX_BYTES} bytes` };
    return { text: readFileSync(fd, 'utf8') };
  } catch (error) {
    return { code: codeOf(error) ?? 'unknown error' };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
