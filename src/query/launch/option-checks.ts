import { invalidOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { isJsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';

/** Throws an `InvalidOptionError` that names `path` when the value cannot be used. */
export type Check = (value: unknown, path: string) => void;

export const isText: Check = (value, path) => {
  if (typeof value !== 'string') throw invalidOption(path, 'a string', value);
};

/** Text that becomes an argument, a variable or a path, where the operating system ends it at a NUL. */
export const isArgument: Check = (value, path) => {
  isText(value, path);
  if ((value as string).includes('\0')) {
    throw new InvalidOptionError(path, `Option \`${path}\` must not contain a NUL character.`);
  }
};

export const isFlag: Check = (value, path) => {
  if (typeof value !== 'boolean') throw invalidOption(path, 'true or false', value);
};

export const isFunction: Check = (value, path) => {
  if (typeof value !== 'function') throw invalidOption(path, 'a function', value);
};

/** A number from 0 up; `Infinity` included. */
export const isAmount: Check = (value, path) => {
  if (typeof value !== 'number' || !(value >= 0)) {
    throw invalidOption(path, 'a number, 0 or more', value);
  }
};

/** A whole number from 0 up. */
export const isCount: Check = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw invalidOption(path, 'a whole number, 0 or more', value);
  }
};

/** A whole number from 0 up, or `Infinity` for "no limit". */
export const isCountLimit: Check = (value, path) => {
  if (value !== Number.POSITIVE_INFINITY) isCount(value, path);
};

/** An object whose keys are the data: not an array, and not a `Map` or `Set`, which would read as empty. */
export const isRecord: Check = (value, path) => {
  if (!isJsonObject(value) || Symbol.iterator in value) {
    throw invalidOption(path, 'an object', value);
  }
};

export function isOneOf(...allowed: readonly string[]): Check {
  const expected = allowed.map((name) => `'${name}'`).join(' or ');
  return (value, path) => {
    if (!allowed.includes(value as string)) throw invalidOption(path, expected, value);
  };
}

export function isListOf(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) throw invalidOption(path, 'an array', value);
    // By index: `forEach` would pass over holes.
    for (let index = 0; index < value.length; index += 1) {
      check(value[index], memberPath(path, index));
    }
  };
}

export function isRecordOf(check: Check): Check {
  return (value, path) => {
    isRecord(value, path);
    for (const [key, member] of Object.entries(value as object)) {
      check(member, memberPath(path, key));
    }
  };
}

/** An object with these members. Others are not looked at; `null` and `undefined` count as absent. */
export function isObjectWith(
  members: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  return (value, path) => {
    isRecord(value, path);
    const object = value as Readonly<Record<string, unknown>>;
    for (const [key, check] of Object.entries(members)) {
      const member = object[key];
      if (member === undefined || member === null) {
        if (required.includes(key)) check(member, memberPath(path, key));
      } else {
        check(member, memberPath(path, key));
      }
    }
  };
}

export function isNullOr(check: Check): Check {
  return (value, path) => {
    if (value !== null && value !== undefined) check(value, path);
  };
}

/** A live object: only what will be called is looked at. */
export function hasMethods(...names: readonly string[]): Check {
  return (value, path) => {
    if (typeof value !== 'object' || value === null) throw invalidOption(path, 'an object', value);
    const object = value as Readonly<Record<string, unknown>>;
    for (const name of names) isFunction(object[name], memberPath(path, name));
  };
}
