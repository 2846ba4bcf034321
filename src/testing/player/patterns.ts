import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Difference } from '../scenario/scenario-types.js';
import { PlayFailure } from './verdict.js';

/** What a comparison found: the captured variables, or the first place that differs. */
export type MatchResult =
  | { readonly ok: true; readonly captured: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly difference: Difference };

/**
 * Whether a frame has at least what the pattern says. Objects may have further keys unless `$exact`, lists must have the
 * same length, a bound variable must have the same value, an unbound one captures.
 */
export function match(pattern: unknown, frame: unknown, variables: Variables): MatchResult {
  const captured = new Map<string, unknown>();
  const difference = compare(pattern, frame, { variables, captured }, '');
  return difference === undefined ? { ok: true, captured } : { ok: false, difference };
}

interface Scope {
  readonly variables: Variables;
  readonly captured: Map<string, unknown>;
  /** In an object with `$exact`, at any depth. */
  readonly isExact?: boolean;
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
function compare(pattern: unknown, value: unknown, scope: Scope, path: string): Difference | undefined {
  if (typeof pattern === 'string') return compareText(pattern, value, scope, path);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return differs(path, describeValue(pattern), value);
    return first(pattern, (entry, index) => compare(entry, value[index], scope, `${path}[${index}]`));
  }
  if (isJsonObject(pattern)) {
    const operator = operatorOf(pattern);
    if (operator !== undefined) return operator(value, scope, path);
    if (!isJsonObject(value)) return differs(path, 'object', value);
    const { $exact: exact, ...wanted } = pattern;
    const inner = exact === undefined ? scope : { ...scope, isExact: true };
    const known = new Set([...Object.keys(wanted), ...(Array.isArray(exact) ? exact : [])]);
    const further = inner.isExact === true ? Object.keys(value).map(escapeText) : [];
    return first([...Object.keys(wanted), ...further.filter((key) => !known.has(key))], (key) =>
      compare(
        Object.hasOwn(wanted, key) ? wanted[key] : `$${ABSENT}`,
        // `$$not` is the key `$not`: no operator.
        ownField(value, unescapeText(key)),
        inner,
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
  if (long !== undefined) return textThat(describeValue(long), (text) => text === long);
  const { $contains: part, $like: parts, $oneOf: choices, $not: unwanted } = pattern;
  if (Array.isArray(parts))
    return textThat(`a text like ${parts.join('*')}`, (text) => isLike(text, parts.map(String)));
  if (typeof part === 'string') return textThat(`a text with ${JSON.stringify(part)}`, (text) => text.includes(part));
  if (Array.isArray(choices)) {
    return (value, scope, path) => {
      const found = choices.map((choice) => compare(choice, value, scope, path));
      return found.includes(undefined) ? undefined : (found.at(-1) ?? differs(path, 'one of nothing', value));
    };
  }
  if (unwanted === undefined) return undefined;
  // Nothing is captured from what must not be.
  return (value, scope, path) =>
    compare(unwanted, value, { ...scope, captured: new Map() }, path) === undefined
      ? differs(path, 'something else', value)
      : undefined;
}

function textThat(expected: string, fits: (text: string) => boolean): Operator {
  return (value, _, path) => (typeof value === 'string' && fits(value) ? undefined : differs(path, expected, value));
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

function compareText(pattern: string, value: unknown, scope: Scope, path: string): Difference | undefined {
  const { variables, captured } = scope;
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
  return isDeepStrictEqual(wanted, value) ? undefined : differs(path, `$${name} = ${describeValue(wanted)}`, value);
}

function differs(path: string, expected: string, value: unknown): Difference {
  return { path, expected, found: value === undefined ? 'nothing' : describeValue(value) };
}

function first<T>(list: readonly T[], find: (each: T, at: number) => Difference | undefined): Difference | undefined {
  for (const [index, entry] of list.entries()) {
    const found = find(entry, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

const WHOLE = /^\$([A-Za-z_]\w*)$/;
const EMBEDDED = /\$\{([A-Za-z_]\w*)\}/g;

/** Matches anything, captures nothing. */
const ANY = '_';
/** Matches only a key that is not there. */
export const ABSENT = 'absent';

/** What the client registered hooks with, as a variable that no scenario can name. */
export const HOOKS = '#hooks';

/** Variables of one scope. A round of `repeat` gets its own, which also sees the outer ones. */
export class Variables {
  readonly #values = new Map<string, unknown>();
  readonly #outer: Variables | undefined;

  constructor(outer?: Variables) {
    this.#outer = outer;
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#outer?.has(name) === true;
  }

  get(name: string): unknown {
    return this.#values.has(name) ? this.#values.get(name) : this.#outer?.get(name);
  }

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /** Whether a value has at least what the pattern says, with these variables bound. */
  match(pattern: unknown, value: unknown): MatchResult {
    return match(pattern, value, this);
  }

  /**
   * The template with its variables replaced: `"$name"` by the value with its type, `"... ${name} ..."` by its text.
   * @throws RangeError a variable has no value yet.
   */
  fill(template: JsonObject): JsonObject {
    // An object goes in, so an object comes out.
    return fillValue(template, this) as JsonObject;
  }
}

/** The variable's name when the whole string is one: `$id`. `$$id` is the text `$id`. */
export function variableName(text: string): string | undefined {
  return WHOLE.exec(text)?.[1];
}

/** `{"$repeat":"ab","times":3}` means `ababab`, in templates and in patterns. */
function longText(value: JsonObject): string | undefined {
  const { $repeat: text, times } = value;
  return typeof text === 'string' && typeof times === 'number' ? text.repeat(times) : undefined;
}

/** `$$id` means the text `$id`. */
function unescapeText(text: string): string {
  return text.startsWith('$$') ? text.slice(1) : text;
}

/** True when filling the template always gives the same frame, so that it can be encoded once. */
export function isConstant(template: unknown): boolean {
  return !JSON.stringify(template).includes('$');
}

function fillValue(template: unknown, variables: Variables): unknown {
  if (typeof template === 'string') return fillText(template, variables);
  if (Array.isArray(template)) return template.map((entry) => fillValue(entry, variables));
  if (!isJsonObject(template)) return template;
  const long = longText(template);
  if (long !== undefined) return long;
  if (typeof template.$hook === 'string') return hookCallback(template.$hook, template.for, variables.get(HOOKS));
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillValue(value, variables)]));
}

function fillText(text: string, variables: Variables): unknown {
  const whole = variableName(text);
  if (whole !== undefined) return lookUp(whole, variables);
  return unescapeText(text).replaceAll(EMBEDDED, (_, name: string) => String(lookUp(name, variables)));
}

function lookUp(name: string, variables: Variables): unknown {
  if (variables.has(name)) return variables.get(name);
  if (name === 'uuid') return randomUUID();
  throw new RangeError(`variable $${name} has no value here`);
}

/**
 * The id of the callback that the client registered for an event.
 * @param subject - What matchers look at, such as the name of the tool; `undefined`: every matcher fits.
 * @param hooks - Of the client's `initialize`.
 * @throws PlayFailure none or several fit.
 */
function hookCallback(event: string, subject: unknown, hooks: unknown): string {
  const matchers: unknown = isJsonObject(hooks) ? hooks[event] : undefined;
  const ids = (Array.isArray(matchers) ? matchers : [])
    .filter((entry) => isJsonObject(entry) && fits(entry.matcher, subject))
    .flatMap((entry: { hookCallbackIds?: unknown }) => entry.hookCallbackIds ?? []);
  const [id] = ids;
  if (ids.length === 1 && typeof id === 'string') return id;
  const place = typeof subject === 'string' ? `${event} (${subject})` : event;
  const found = ids.length === 0 ? 'no hook callback' : `${ids.length} hook callbacks (${ids})`;
  throw new PlayFailure(
    'mismatch',
    `the client registered ${found} for ${place}: expected one, or the id of the callback`,
  );
}

/** As the CLI reads matchers: nothing and `*` fit all, names may be joined by `|`, else it is a regular expression. */
function fits(matcher: unknown, subject: unknown): boolean {
  if (typeof matcher !== 'string' || typeof subject !== 'string') return true;
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split('|').includes(subject);
  try {
    return new RegExp(matcher).test(subject);
  } catch {
    return false;
  }
}

/** The same data as a template: nothing in it is a variable, also inside of a text. */
export function verbatim(frame: JsonObject): JsonObject {
  const fill = (text: string): unknown => (text.includes('$') ? { $repeat: text, times: 1 } : text);
  // An object stays one.
  return mapTexts(frame, fill) as JsonObject;
}

/** The same data as a pattern or template in which no text is a variable: `$5` stays `$5`. */
export function literal<T>(value: T): T {
  // Every branch keeps the shape of what came in.
  return mapTexts(value, escapeText) as T;
}

/** As a pattern or template says a text that is no variable. */
export function escapeText(text: string): string {
  return text.startsWith('$') ? `$${text}` : text;
}

/** A value in which every text is replaced by what `replace` makes of it. */
export function mapTexts(value: unknown, replace: (text: string, path: string) => unknown, path = ''): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) return value.map((entry, index) => mapTexts(entry, replace, `${path}[${index}]`));
  if (!isJsonObject(value)) return value;
  const under = path === '' ? '' : `${path}.`;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, replace, under + key)]));
}
