import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type JsonObject, parseJsonObject } from '../../util/json.js';
import { NO_FOLLOW, NO_WAIT } from './open-file.js';

/** The object in a small JSON file. `undefined` when it is missing, broken, longer than `maxBytes`, a link or no file. */
export function readSmallJson(path: string, maxBytes: number): JsonObject | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > maxBytes) return undefined;
      return parseJsonObject(readFileSync(descriptor, 'utf8'));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
