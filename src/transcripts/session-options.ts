import { invalidOption, requireOption } from '../errors/usage-errors.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { argumentString, boolean, custom, nullOr, string, type Validator } from '../util/validate.js';
import { projectKeyForDirectory } from './files/project-folder.js';
import type { PageOptions } from './session-types.js';
import type { SessionStore } from './store/session-store.js';
import { checkStore } from './store/store-call.js';

/** The sessions of one project in a store. */
export interface StoredSessions {
  readonly store: SessionStore;
  readonly projectKey: string;
}

/** Where to look for a session. */
interface SessionPlace {
  /** `undefined`: everywhere. */
  readonly directory: string | undefined;
  readonly store: StoredSessions | undefined;
}

/**
 * The options as an object with unchecked fields. `null` counts as not given, here and for each option.
 * @throws {@link InvalidOptionError} neither an object nor absent.
 */
export function optionsObject(options: unknown): JsonObject {
  if (options === undefined || options === null) return {};
  if (isJsonObject(options)) return options;
  throw invalidOption('options', 'an object', options);
}

/** @throws {@link InvalidOptionError} `dir` is no string or has a NUL character, or `sessionStore` is no store. */
export function placeOf({ dir, sessionStore }: JsonObject): SessionPlace {
  const directory =
    dir === '' ? undefined : checked<string | undefined>(nullOr(argumentString), dir ?? undefined, 'dir');
  if (sessionStore === undefined || sessionStore === null) return { directory, store: undefined };
  checkStore(sessionStore);
  return { directory, store: { store: sessionStore, projectKey: projectKeyForDirectory(directory) } };
}

/** The requested part of a list. */
export type Page = { readonly [Name in keyof PageOptions]: PageOptions[Name] | undefined };

const amount = nullOr(
  custom('a whole number or Infinity', (value) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
);

/** `limit` and `offset`. Values that are not positive mean "all" and "from the start". */
export function pageOfOptions(options: JsonObject): Page {
  const amountOf = (name: 'limit' | 'offset'): number | undefined =>
    checked<number | undefined>(amount, options[name] ?? undefined, name);
  return { limit: amountOf('limit'), offset: amountOf('offset') };
}

export function pageOf<Item>(items: readonly Item[], { limit = 0, offset = 0 }: Page): Item[] {
  const start = Math.max(0, offset);
  return items.slice(start, limit > 0 ? start + limit : undefined);
}

/** @throws {@link InvalidOptionError} neither `true`, `false` nor absent. */
export function booleanOption(options: JsonObject, name: string, fallback: boolean): boolean {
  return checked(boolean, options[name] ?? fallback, name);
}

/** @throws {@link InvalidOptionError} not a string, and not absent. */
export function stringOption(options: JsonObject, name: string): string | undefined {
  return checked(nullOr(string), options[name] ?? undefined, name);
}

/** @param Value - What the validator accepts. */
function checked<Value>(validator: Validator, value: unknown, name: string): Value {
  requireOption(validator, value, name);
  return value as Value;
}
