import { isDeepStrictEqual } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Difference } from '../scenario/scenario-types.js';
import { ABSENT, ANY, longText, unescapeText, type Variables, variableName } from './variables.js';

/** What a comparison found: the captured variables, or the first place that differs. */
export type MatchResult =
  | { readonly ok: true; readonly captured: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly difference: Difference };

/**
 * Whether a frame has at least what the pattern says. Objects may have further keys, lists must have
 * the same length, a bound variable must have the same value, an unbound one captures.
 */
export function match(pattern: unknown, frame: unknown, variables: Variables): MatchResult {
  const captured = new Map<string, unknown>();
  const difference = compare(pattern, frame, { variables, captured }, '');
  return difference === undefined ? { ok: true, captured } : { ok: false, difference };
}

interface Scope {
  readonly variables: Variables;
  readonly captured: Map<string, unknown>;
}

/** A pattern with the key `constructor` must not find what every object inherits. */
function ownField(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Such as `request.model: expected string "a", found nothing`. */
export function describeDifference({ path, expected, found }: Difference): string {
  return `${path === '' ? 'the frame' : path}: expected ${expected}, found ${found}`;
}

/** `undefined` when equal, else the first difference. */
function compare(
  pattern: unknown,
  value: unknown,
  scope: Scope,
  path: string,
): Difference | undefined {
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
    const operator = operatorOf(pattern);
    if (operator !== undefined) return operator(value, scope, path);
    if (!isJsonObject(value)) return differs(path, 'object', value);
    return first(Object.keys(pattern), (key) =>
      compare(
        pattern[key],
        // `$$not` is the key `$not`: no operator.
        ownField(value, unescapeText(key)),
        scope,
        path === '' ? key : `${path}.${key}`,
      ),
    );
  }
  return Object.is(pattern, value) ? undefined : differs(path, describeValue(pattern), value);
}

type Operator = (value: unknown, scope: Scope, path: string) => Difference | undefined;

/** Patterns that say more than a value: an object with one key that begins with `$`, and `$repeat`. */
function operatorOf(pattern: JsonObject): Operator | undefined {
  const long = longText(pattern);
  if (long !== undefined) {
    return (value, _, path) =>
      value === long ? undefined : differs(path, describeValue(long), value);
  }
  const { $contains: part, $like: parts, $oneOf: choices, $not: unwanted } = pattern;
  if (Array.isArray(parts)) {
    return (value, _, path) =>
      typeof value === 'string' && isLike(value, parts.map(String))
        ? undefined
        : differs(path, `a text like ${parts.join('*')}`, value);
  }
  if (typeof part === 'string') {
    return (value, _, path) =>
      typeof value === 'string' && value.includes(part)
        ? undefined
        : differs(path, `a text with ${JSON.stringify(part)}`, value);
  }
  if (Array.isArray(choices)) {
    return (value, scope, path) => {
      const found = choices.map((choice) => compare(choice, value, scope, path));
      return found.includes(undefined)
        ? undefined
        : (found.at(-1) ?? differs(path, 'one of nothing', value));
    };
  }
  if (unwanted === undefined) return undefined;
  // Nothing is captured from what must not be.
  return (value, { variables }, path) =>
    compare(unwanted, value, { variables, captured: new Map() }, path) === undefined
      ? differs(path, 'something else', value)
      : undefined;
}

/** The text begins with the first part, ends with the last, and has the others between them in this order. */
function isLike(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

function compareText(
  pattern: string,
  value: unknown,
  { variables, captured }: Scope,
  path: string,
): Difference | undefined {
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

function differs(path: string, expected: string, value: unknown): Difference {
  return { path, expected, found: value === undefined ? 'nothing' : describeValue(value) };
}

function first<T>(
  list: readonly T[],
  find: (entry: T, index: number) => Difference | undefined,
): Difference | undefined {
  for (const [index, entry] of list.entries()) {
    const found = find(entry, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
