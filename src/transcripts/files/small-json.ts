import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { NO_FOLLOW, NO_WAIT } from './open-file.js';

/** The value in a small JSON file. `undefined` when it is missing, broken, longer than `maxBytes`, a link or no file. */
export function readSmallJson(path: string, maxBytes: number): unknown {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > maxBytes) return undefined;
      return JSON.parse(readFileSync(descriptor, 'utf8'));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** The same for a file that has to hold an object. */
export function readSmallObject(path: string, maxBytes: number): JsonObject | undefined {
  const value = readSmallJson(path, maxBytes);
  return isJsonObject(value) ? value : undefined;
}
