import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { hookCallback } from './hook-callback.js';

const WHOLE = /^\$([A-Za-z_]\w*)$/;
const EMBEDDED = /\$\{([A-Za-z_]\w*)\}/g;

/** Matches anything, captures nothing. */
export const ANY = '_';
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
}

/** The variable's name when the whole string is one: `$id`. `$$id` is the text `$id`. */
export function variableName(text: string): string | undefined {
  return WHOLE.exec(text)?.[1];
}

/** `{"$repeat":"ab","times":3}` stands for `ababab`, in templates and in patterns. */
export function longText(value: JsonObject): string | undefined {
  const { $repeat: text, times } = value;
  return typeof text === 'string' && typeof times === 'number' ? text.repeat(times) : undefined;
}

/** `$$id` stands for the text `$id`. */
export function unescapeText(text: string): string {
  return text.startsWith('$$') ? text.slice(1) : text;
}

/** True when filling the template always gives the same frame, so that it can be encoded once. */
export function isConstant(template: unknown): boolean {
  return !JSON.stringify(template).includes('$');
}

/**
 * The template with its variables replaced: `"$name"` by the value with its type, `"... ${name} ..."` by its text.
 *
 * @throws RangeError a variable has no value yet.
 */
export function fill(template: JsonObject, variables: Variables): JsonObject {
  // An object goes in, so an object comes out.
  return fillValue(template, variables) as JsonObject;
}

function fillValue(template: unknown, variables: Variables): unknown {
  if (typeof template === 'string') return fillText(template, variables);
  if (Array.isArray(template)) return template.map((entry) => fillValue(entry, variables));
  if (!isJsonObject(template)) return template;
  const long = longText(template);
  if (long !== undefined) return long;
  if (typeof template.$hook === 'string') {
    return hookCallback(template.$hook, template.for, variables.get(HOOKS));
  }
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fillValue(value, variables)]),
  );
}

function fillText(text: string, variables: Variables): unknown {
  const whole = variableName(text);
  if (whole !== undefined) return lookUp(whole, variables);
  return unescapeText(text).replaceAll(EMBEDDED, (_, name: string) =>
    String(lookUp(name, variables)),
  );
}

function lookUp(name: string, variables: Variables): unknown {
  if (variables.has(name)) return variables.get(name);
  if (name === 'uuid') return randomUUID();
  throw new RangeError(`variable $${name} has no value here`);
}
