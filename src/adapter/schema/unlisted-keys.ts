import { isDeepStrictEqual } from 'node:util';
import { keysOf, type StandardIssue, type StandardResult, type StandardSchemaLike } from '../../mcp/standard-schema.js';
import { isThenable } from '../../util/deferred.js';
import { isJsonObject } from '../../util/json.js';
import { type ExtraKey, splitExtraKeys } from './extra-keys.js';
import type { JsonSchema } from './json-schema.js';

type Sooner<T> = T | PromiseLike<T>;

/** What a library makes of a value. */
export interface Validated<T> {
  readonly result: StandardResult<T>;
  /** Keys of the value that it refuses or drops. */
  readonly unknown: readonly ExtraKey[];
}

/**
 * Validates a value with its own library. Keys that the JSON Schema refuses are removed first. The library decides about
 * keys that the JSON Schema does not mention, because a type may keep them: arktype's `type({ k: 'string' })` does.
 * @param mustName - Find out which keys the library drops. Otherwise it may drop them in silence.
 */
export function validateUnlisted<T>(
  standard: StandardSchemaLike<unknown, T>,
  schema: JsonSchema,
  value: unknown,
  mustName: boolean,
): Sooner<Validated<T>> {
  const { kept, extraKeys } = splitExtraKeys(schema, value);
  const open = extraKeys.filter((key) => !isRefused(key));
  if (open.length > 0) return new Trial(standard, schema, value, extraKeys).decide(open, mustName);
  if (mustName && extraKeys.length > 0) return { result: { issues: [] }, unknown: extraKeys };
  return after(standard['~standard'].validate(kept), (result) => ({ result, unknown: extraKeys }));
}

/** They write `additionalProperties` of each object that keeps other keys. */
const SAY_WHAT_IS_KEPT: ReadonlySet<string> = new Set(['zod', 'valibot']);

/** Libraries merge objects by assignment, which would set the prototype. */
function isRefused({ isClosed, keys }: ExtraKey): boolean {
  return isClosed || keys.at(-1) === '__proto__';
}

/** Runs a library on a value with and without some of its keys. */
class Trial<T> {
  readonly #standard: StandardSchemaLike<unknown, T>;
  readonly #schema: JsonSchema;
  readonly #value: unknown;
  readonly #extraKeys: readonly ExtraKey[];

  constructor(
    standard: StandardSchemaLike<unknown, T>,
    schema: JsonSchema,
    value: unknown,
    extraKeys: readonly ExtraKey[],
  ) {
    this.#standard = standard;
    this.#schema = schema;
    this.#value = value;
    this.#extraKeys = extraKeys;
  }

  /** @param open - The keys that the JSON Schema neither lists nor refuses. */
  decide(open: readonly ExtraKey[], mustName: boolean): Sooner<Validated<T>> {
    return after(this.#without([]), (whole) => {
      if (whole.issues !== undefined) return this.#withoutBlamed(open, whole.issues);
      const dropped = open.filter(({ keys }) => !isIn(whole.value, this.#value, keys));
      if (!mustName || dropped.length === 0) return this.#outcome(whole, dropped);
      // A transform may use a key that it does not keep. One that never gives the same value twice shows nothing.
      return after(this.#without(dropped), (first) => {
        if (isSame(first, whole)) return this.#outcome(whole, dropped);
        return after(this.#without(dropped), (second) => this.#outcome(whole, isSame(first, second) ? [] : dropped));
      });
    });
  }

  /** The value does not fit: for some of the keys, or for another reason. */
  #withoutBlamed(open: readonly ExtraKey[], issues: readonly StandardIssue[]): Sooner<Validated<T>> {
    const named = new Set(issues.map((issue) => idOf(keysOf(issue))));
    const blamed = open.filter(({ keys }) => named.has(idOf(keys)) || named.has(idOf(keys.slice(0, -1))));
    return after(blamed.length === 0 ? { issues } : this.#without(blamed), (result) => {
      if (result.issues === undefined) return this.#outcome(result, blamed);
      return after(this.#without(open), (bare) => {
        const isKnown = bare.issues === undefined || SAY_WHAT_IS_KEPT.has(this.#standard['~standard'].vendor);
        return this.#outcome(bare, isKnown ? open : []);
      });
    });
  }

  #without(keys: readonly ExtraKey[]): Sooner<StandardResult<T>> {
    const gone = new Set(keys.map((key) => idOf(key.keys)));
    const isKept = (key: ExtraKey): boolean => !isRefused(key) && !gone.has(idOf(key.keys));
    return this.#standard['~standard'].validate(splitExtraKeys(this.#schema, this.#value, isKept).kept);
  }

  #outcome(result: StandardResult<T>, dropped: readonly ExtraKey[]): Validated<T> {
    const known = new Set(dropped.map(({ keys }) => idOf(keys)));
    const isUnknown = (key: ExtraKey): boolean => isRefused(key) || known.has(idOf(key.keys));
    return { result, unknown: this.#extraKeys.filter(isUnknown) };
  }
}

function after<A, B>(value: Sooner<A>, next: (value: A) => Sooner<B>): Sooner<B> {
  return isThenable(value) ? value.then(next) : next(value);
}

/** A path of keys as text. Libraries may name an index by its digits. */
function idOf(keys: readonly PropertyKey[]): string {
  return JSON.stringify(keys.map(String));
}

/** Whether the member of `value` at a path is in `output`, unchanged. */
function isIn(output: unknown, value: unknown, keys: readonly PropertyKey[]): boolean {
  const [kept, given] = [memberAt(output, keys), memberAt(value, keys)];
  return kept !== undefined && isDeepStrictEqual(kept, given);
}

function memberAt(value: unknown, keys: readonly PropertyKey[]): readonly [unknown] | undefined {
  let at = value;
  for (const key of keys) {
    if (!(isJsonObject(at) || Array.isArray(at)) || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return [at];
}

function isSame<T>(one: StandardResult<T>, other: StandardResult<T>): boolean {
  if (one.issues !== undefined) return other.issues !== undefined;
  return other.issues === undefined && isDeepStrictEqual(one.value, other.value);
}
