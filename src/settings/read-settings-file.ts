import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** Larger files are left out: settings are written by hand. */
export const MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

/** Objects and lists in each other, the file's own object counted. What stands deeper is `null`, as officially. */
const MAX_DEPTH = 64;

/** What a settings file holds. */
export type SettingsFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'settings'; readonly settings: JsonObject }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Reads one settings file. An empty file is `{}`. Never rejects, never waits for a pipe, never reads more than the limit. */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a pipe with no writer would hold the call for ever.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat();
    if (!stats.isFile()) return unusable('It is not a regular file.');
    if (stats.size > MAX_SETTINGS_BYTES) {
      return unusable(`It has ${stats.size} bytes, more than ${MAX_SETTINGS_BYTES}.`);
    }
    return parse(decode(await file.readFile()));
  } catch (error) {
    return isAbsence(error) ? { kind: 'absent' } : unusable(errorText(error));
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** Windows PowerShell writes UTF-16 with a byte order mark. */
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}

function parse(json: string): SettingsFile {
  if (json.trim() === '') return { kind: 'settings', settings: {} };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's own message quotes the file, which may hold keys.
    return unusable('It is not valid JSON.');
  }
  return isJsonObject(value)
    ? { kind: 'settings', settings: cut(value, MAX_DEPTH) as JsonObject }
    : unusable('It does not hold a JSON object.');
}

/** A copy that everything which walks it can walk. */
function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cut(item, depth - 1)]),
  );
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unusable(reason: string): SettingsFile {
  return { kind: 'unusable', reason };
}
