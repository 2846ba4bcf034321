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
  (value) =>
    isJsonObject(value) ? plainIfValid(Object.entries(value).map(([key, each]) => [key, item(each)])) : INVALID;

/** Values that do not pass are left out. */
export const filteredRecord =
  (item: Check): Check =>
  (value) =>
    isJsonObject(value) ? plain(Object.entries(value).map(([key, each]) => [key, item(each)])) : INVALID;

/** Known fields have to pass; others stay as they are (`open`) or go. */
export const object =
  (fields: Readonly<Record<string, Check>>, { open = true, required = [] as string[] } = {}): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    if (required.some((key) => !Object.hasOwn(value, key))) return INVALID;
    const others: Check = open ? anything : never;
    return plainIfValid(Object.entries(value).map(([key, each]) => [key, fieldCheck(fields, key, others)(each)]));
  };

/** As an open `object`, but a field that does not pass is replaced by its value in `strictest`, or dropped. */
export const lenient =
  (fields: Readonly<Record<string, Check>>, strictest: JsonObject): Check =>
  (value) => {
    if (!isJsonObject(value)) return INVALID;
    const standIn = (key: string) => (Object.hasOwn(strictest, key) ? strictest[key] : DROPPED);
    return plain(
      Object.entries(value).map(([key, each]) => [key, orElse(fieldCheck(fields, key), standIn(key))(each)]),
    );
  };

/** Instead of refusing the whole source, `standIn` replaces the value. */
export const orElse =
  (check: Check, standIn: unknown): Check =>
  (value) => {
    const result = check(value);
    return result === INVALID ? standIn : result;
  };

/** Instead of refusing the whole source, the value goes alone. */
export const forgiving = (check: Check): Check => orElse(check, UNSET);

/** The check of a field, `others` for one that is not in the table. */
export function fieldCheck(fields: Readonly<Record<string, Check>>, key: string, others = anything): Check {
  return (Object.hasOwn(fields, key) ? fields[key] : undefined) ?? others;
}

type Entries = readonly (readonly [string, unknown])[];

function plainIfValid(entries: Entries): unknown {
  return entries.some(([, value]) => value === INVALID) ? INVALID : plain(entries);
}

/**
 * An object of these entries, without those that a check took out; `__proto__` is left out, since setting it would
 * change what the object is.
 */
export function plain(entries: Entries): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of entries) {
    if (key !== '__proto__' && value !== INVALID && value !== DROPPED && value !== UNSET) result[key] = value;
  }
  return result;
}
