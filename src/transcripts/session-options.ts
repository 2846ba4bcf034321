import { invalidOption, requireOption } from '../errors/invalid-option.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { argumentString, boolean, nullOr, string } from '../util/validate.js';
import { projectKeyForDirectory } from './files/project-folder.js';
import type { SessionStore } from './store/session-store.js';
import { checkStore } from './store/store-call.js';

/** Where to look for a session. */
interface SessionPlace {
  /** `undefined`: everywhere. */
  readonly directory: string | undefined;
  readonly store: { readonly store: SessionStore; readonly projectKey: string } | undefined;
}

/**
 * The options as an object with unchecked fields. `null` counts as not given, here and for each option.
 *
 * @throws {@link InvalidOptionError} neither an object nor absent.
 */
export function optionsObject(options: unknown): JsonObject {
  if (options === undefined || options === null) return {};
  if (isJsonObject(options)) return options;
  throw invalidOption('options', 'an object', options);
}

/** @throws {@link InvalidOptionError} `dir` is no string or holds a NUL character, or `sessionStore` is no store. */
export function placeOf(options: JsonObject): SessionPlace {
  const directory = directoryOf(options.dir);
  const given = options.sessionStore ?? undefined;
  if (given === undefined) return { directory, store: undefined };
  checkStore(given);
  return { directory, store: { store: given, projectKey: projectKeyForDirectory(directory) } };
}

function directoryOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  requireOption(argumentString, value, 'dir');
  // It passed the validator.
  return value as string;
}

/** `limit` and `offset`. Values that are not positive mean "all" and "from the start". */
export function pageOfOptions(options: JsonObject): Page {
  return { limit: wholeNumber(options, 'limit'), offset: wholeNumber(options, 'offset') };
}

function wholeNumber(options: JsonObject, name: string): number | undefined {
  const value = options[name] ?? undefined;
  if (value === undefined || value === Number.POSITIVE_INFINITY) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw invalidOption(name, 'a whole number', value);
}

/** A switch. @throws {@link InvalidOptionError} neither `true`, `false` nor absent. */
export function booleanOption(options: JsonObject, name: string, fallback: boolean): boolean {
  const value = options[name] ?? fallback;
  requireOption(boolean, value, name);
  // It passed the validator.
  return value as boolean;
}

/** A text that may be left out. @throws {@link InvalidOptionError} not a string. */
export function stringOption(options: JsonObject, name: string): string | undefined {
  const value = options[name] ?? undefined;
  requireOption(nullOr(string), value, name);
  // It passed the validator.
  return value as string | undefined;
}

/** The requested part of a list. */
export interface Page {
  /** Absent or not above zero: no limit. */
  readonly limit?: number | undefined;
  /** Items to skip at the start. @defaultValue 0 */
  readonly offset?: number | undefined;
}

export function pageOf<Item>(items: readonly Item[], { limit = 0, offset = 0 }: Page): Item[] {
  const start = Math.max(0, offset);
  return items.slice(start, limit > 0 ? start + limit : undefined);
}
