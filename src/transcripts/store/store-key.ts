import { invalidOption, requireOption } from '../../errors/usage-errors.js';
import { errorText } from '../../util/error-text.js';
import { arrayOf, custom, nonEmptyString, object } from '../../util/validate.js';
import type { SessionKey, SessionStoreEntry } from './session-store.js';

// For stores: each of these throws an InvalidOptionError that names the value it cannot use.

/** Checks a key before anything is read or written. */
export function checkKey(key: unknown): asserts key is SessionKey {
  requireOption(object, key, 'key');
  const { projectKey, sessionId, subpath } = key as Readonly<Record<string, unknown>>;
  requireOption(nonEmptyString, projectKey, 'key.projectKey');
  requireOption(nonEmptyString, sessionId, 'key.sessionId');
  if (subpath !== undefined) requireOption(subpathName, subpath, 'key.subpath');
}

export function checkProjectKey(projectKey: unknown): asserts projectKey is string {
  requireOption(nonEmptyString, projectKey, 'key.projectKey');
}

const subpathName = custom(
  'a non-empty string',
  (value) => typeof value === 'string' && value !== '',
  'Leave it out for the main transcript.',
);

export function checkEntries(entries: unknown): asserts entries is SessionStoreEntry[] {
  requireOption(arrayOf(object), entries, 'entries');
}

/** Entries as JSONL. Refuses a cycle, a bigint, and a `toJSON` that gives something else than an object. */
export function jsonLines(entries: readonly SessionStoreEntry[]): string {
  return entries.map((entry, index) => `${jsonText(entry, index)}\n`).join('');
}

/** Refuses functions, and nesting too deep for the stack. */
export function copyEntries(entries: readonly SessionStoreEntry[]): SessionStoreEntry[] {
  return entries.map((entry, index) => readable(entry, index, () => structuredClone(entry)));
}

function readable<Result>(entry: SessionStoreEntry, index: number, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw invalidOption(`entries[${index}]`, 'a JSON object', entry, `${errorText(error)}.`);
  }
}

function jsonText(entry: SessionStoreEntry, index: number): string {
  const text: string | undefined = readable(entry, index, () => JSON.stringify(entry));
  if (text?.startsWith('{') === true) return text;
  throw invalidOption(`entries[${index}]`, 'a JSON object', entry, 'Its toJSON() gives none.');
}

/**
 * Whether a store's `subpath` can be a file below the session's folder, on every platform: segments between `/`, none
 * of them empty, `.` or `..`, no backslash, no NUL, no drive. Whoever fills the store must not choose a place on this
 * machine to write to, so this is checked before the subpath is loaded or becomes a path.
 */
export function isSafeSubpath(subpath: string): boolean {
  return (
    !/[\\\0]/.test(subpath) &&
    !/^[A-Za-z]:/.test(subpath) &&
    !(process.platform === 'win32' && subpath.includes(':')) &&
    subpath.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

/** The same for a key's `projectKey` or `sessionId`, which are single names. */
export function isSafeName(name: string | undefined): name is string {
  return name !== undefined && isSafeSubpath(name) && !name.includes('/');
}
