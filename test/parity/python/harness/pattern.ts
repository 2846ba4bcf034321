import { isDeepStrictEqual } from 'node:util';
import type { Json } from './row.js';

/**
 * The first place where a value is not what a pattern says, or `undefined`. An object has the keys that are named, a
 * list is as long as the pattern's, or longer when that ends with `'$more'`; `'$any'` is any value, `'$absent'` no value, `'/…/'` a text that the expression fits.
 */
export function mismatch(pattern: Json, value: Json | undefined, path = ''): string | undefined {
  if (pattern === '$absent') return value === undefined ? undefined : said(path, pattern, value);
  if (value === undefined) return said(path, pattern, value);
  if (pattern === '$any') return undefined;
  if (typeof pattern === 'string' && /^\/.+\/[su]*$/s.test(pattern)) {
    const end = pattern.lastIndexOf('/');
    const fits = typeof value === 'string' && new RegExp(pattern.slice(1, end), pattern.slice(end + 1)).test(value);
    return fits ? undefined : said(path, pattern, value);
  }
  if (Array.isArray(pattern)) {
    const isOpen = pattern.at(-1) === '$more';
    const wanted: readonly Json[] = isOpen ? pattern.slice(0, -1) : pattern;
    if (!Array.isArray(value) || (!isOpen && value.length !== wanted.length)) {
      return said(path, pattern, value);
    }
    return first(wanted.map((one, at) => mismatch(one, value[at], `${path}/${at}`)));
  }
  if (isObject(pattern)) {
    if (!isObject(value)) return said(path, pattern, value);
    return first(Object.entries(pattern).map(([key, one]) => mismatch(one, value[key], `${path}/${key}`)));
  }
  return isDeepStrictEqual(pattern, value) ? undefined : said(path, pattern, value);
}

/** Whether a pattern says what the value at a path is. */
export function pins(pattern: Json | undefined, path: string): boolean {
  let found = pattern;
  for (const key of path === '' ? [] : path.split('/')) {
    if (typeof found !== 'object' || found === null) break;
    found = Reflect.get(found, key) as Json | undefined;
  }
  return found !== undefined && found !== '$any';
}

/** The value at a path, or `undefined`. A key may hold a `/` when the path names it whole (`env//x` does not). */
export function at(value: Json | undefined, path: string): Json | undefined {
  if (path === '') return value;
  let found: Json | undefined = value;
  for (const key of path.split('/')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined) as Json | undefined;
  }
  return found;
}

/** Paths of everything that is not the same in both. Lists of other lengths differ as a whole. */
export function differences(left: Json | undefined, right: Json | undefined, path: string): readonly string[] {
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((one, place) => differences(one, right[place], `${path}/${place}`));
  }
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) => differences(left[key], right[key], `${path}/${key}`));
  }
  return isDeepStrictEqual(left, right) ? [] : [path];
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}

function said(path: string, pattern: Json, value: Json | undefined): string {
  return `${path === '' ? 'it' : path}: expected ${short(pattern)}, got ${short(value)}`;
}

/** JSON for a person, cut. */
export function short(value: Json | undefined, length = 400): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
