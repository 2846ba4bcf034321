import { isDeepStrictEqual } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { ABSENT, ANY, unescapeText, type Variables, variableName } from './variables.js';

/** What a comparison found: the captured variables, or the first place that differs. */
export type MatchResult =
  | { readonly ok: true; readonly captured: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly difference: string };

/**
 * Whether a frame has at least what the pattern says. Objects may have further keys, lists must have
 * the same length, a bound variable must have the same value, an unbound one captures.
 */
export function match(pattern: JsonObject, frame: unknown, variables: Variables): MatchResult {
  const captured = new Map<string, unknown>();
  const difference = compare(pattern, frame, { variables, captured }, '');
  return difference === undefined ? { ok: true, captured } : { ok: false, difference };
}

interface Scope {
  readonly variables: Variables;
  readonly captured: Map<string, unknown>;
}

/** `undefined` when equal, else the first difference as `path: expected ..., found ...`. */
function compare(pattern: unknown, value: unknown, scope: Scope, path: string): string | undefined {
  if (typeof pattern === 'string') return compareText(pattern, value, scope, path);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) {
      return differs(path, describeValue(pattern), value);
    }
    return first(pattern, (entry, index) =>
      compare(entry, value[index], scope, `${path}[${index}]`),
    );
  }
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return differs(path, 'object', value);
    return first(Object.keys(pattern), (key) =>
      compare(pattern[key], value[key], scope, path === '' ? key : `${path}.${key}`),
    );
  }
  return Object.is(pattern, value) ? undefined : differs(path, describeValue(pattern), value);
}

function compareText(
  pattern: string,
  value: unknown,
  { variables, captured }: Scope,
  path: string,
): string | undefined {
  const name = variableName(pattern);
  if (name === undefined) {
    const text = unescapeText(pattern);
    return text === value ? undefined : differs(path, describeValue(text), value);
  }
  if (name === ABSENT) return value === undefined ? undefined : differs(path, 'no such key', value);
  if (value === undefined) return differs(path, 'a value', value);
  if (name === ANY) return undefined;
  const bound = captured.has(name) ? captured : variables;
  if (!bound.has(name)) {
    captured.set(name, value);
    return undefined;
  }
  const wanted = bound.get(name);
  return isDeepStrictEqual(wanted, value)
    ? undefined
    : differs(path, `$${name} = ${describeValue(wanted)}`, value);
}

function differs(path: string, expected: string, value: unknown): string {
  return `${path === '' ? 'the frame' : path}: expected ${expected}, found ${value === undefined ? 'nothing' : describeValue(value)}`;
}

function first<T>(
  list: readonly T[],
  find: (entry: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, entry] of list.entries()) {
    const found = find(entry, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
