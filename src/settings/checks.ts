import { isJsonObject, type JsonObject } from '../util/json.js';
import { boolean, integerFrom, numberFrom, string, type Validator, oneOf as validOneOf } from '../util/validate.js';

/** What a check gives for a value that cannot be used. */
export const INVALID: unique symbol = Symbol('invalid');

/** What a check gives for a value that goes without the rest of its source going too. */
export const DROPPED: unique symbol = Symbol('dropped');

/** What a check gives for a value that counts as not set; the source still counts as one that says something. */
export const UNSET: unique symbol = Symbol('unset');

/** Looks at one value: gives it back, possibly in its normal form, or one of the three marks above. Never throws. */
export type Check = (value: unknown) => unknown;

export const anything: Check = (value) => value;
export const never: Check = () => DROPPED;

/** A value passes as it is when the validator has no problem with it. */
const accept =
  (validator: Validator): Check =>
  (value) =>
    validator(value, '') === undefined ? value : INVALID;

export const text = accept(string);
export const flag = accept(boolean);
export const json: Check = (value) => (isJsonObject(value) ? value : INVALID);
export const integer = (min: number): Check => accept(integerFrom(min));
export const between = (min: number, max: number): Check => accept(numberFrom(min, max));
export const oneOf = (...allowed: readonly unknown[]): Check => accept(validOneOf(...allowed));

/** The first check that accepts. */
export const either =
  (...checks: readonly Check[]): Check =>
  (value) => {
    for (const check of checks) {
      const result = check(value);
      if (result !== INVALID) return result;
    }
    return INVALID;
  };

/** Every item has to pass. */
export const list =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return INVALID;
    const items = value.map(item);
    return items.includes(INVALID) ? INVALID : items;
  };

/** Items that do not pass are left out. */
export const filtered =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) ? value.map(item).filter((each) => each !== INVALID && each !== DROPPED) : INVALID;

/** Every value has to pass. */
export const record =
  (item: Check): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    const entries = Object.entries(value).map(([key, each]) => [key, item(each)] as const);
    return entries.some(([, each]) => each === INVALID) ? INVALID : plain(entries);
  };

/** Values that do not pass are left out. */
export const filteredRecord =
  (item: Check): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    const entries = Object.entries(value).map(([key, each]) => [key, item(each)] as const);
    return plain(entries.filter(([, each]) => each !== INVALID));
  };

/** Known fields have to pass; others stay as they are (`open`) or go. */
export const object =
  (fields: Readonly<Record<string, Check>>, { open = true, required = [] as string[] } = {}): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    if (required.some((key) => !Object.hasOwn(value, key))) return INVALID;
    const entries: (readonly [string, unknown])[] = [];
    for (const [key, each] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined && !open) continue;
      const result = check === undefined ? each : check(each);
      if (result === INVALID) return INVALID;
      entries.push([key, result]);
    }
    return plain(entries);
  };

/** Instead of refusing the whole source, the value goes alone. */
export const forgiving =
  (check: Check): Check =>
  (value) => {
    const result = check(value);
    return result === INVALID ? UNSET : result;
  };

/** As an open `object`, but a field that does not pass gives way to what `strictest` has for it, or goes. */
export const lenient =
  (fields: Readonly<Record<string, Check>>, strictest: JsonObject): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    const checked = Object.entries(value).map(([key, each]) => {
      const result = Object.hasOwn(fields, key) ? fields[key]?.(each) : each;
      if (result !== INVALID) return [key, result] as const;
      return [key, Object.hasOwn(strictest, key) ? strictest[key] : DROPPED] as const;
    });
    return plain(checked);
  };

/** Instead of refusing the whole source, something stands in. */
export const orElse =
  (check: Check, standIn: unknown): Check =>
  (value) => {
    const result = check(value);
    return result === INVALID ? standIn : result;
  };

/** An object of these entries; `__proto__` is left out, since setting it would change what the object is. */
export function plain(entries: Iterable<readonly [string, unknown]>): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of entries) {
    if (key !== '__proto__' && value !== DROPPED && value !== UNSET) result[key] = value;
  }
  return result;
}
