import { holdsSecret, replaceSecrets } from 'claudewire/testing';
import { isJsonObject } from '../util/json.js';

export const HIDDEN = '<hidden>';

/** A report is read by others, so more is hidden than in a recording. */
const MAY_HOLD_ONE = /headers|cookie|(?:^|[_-])(?:auth(?:$|[_-])|key$)/i;
/** A field such as `max_tokens`. */
const IS_NUMBER_OF = /tokens$/;
const isSecret = (name: string): boolean => (holdsSecret(name) && !IS_NUMBER_OF.test(name)) || MAY_HOLD_ONE.test(name);

/** A shorter value would be found in innocent texts. */
const SHORTEST_VALUE = 8;

/** Hides what looks like a secret in a value: by the names on the way to it, by its form, and the values of variables. */
export class SecretHider {
  readonly #values: readonly string[];

  /** @param environments - Values of variables with such names are hidden wherever they are. */
  constructor(environments: readonly Readonly<Record<string, unknown>>[]) {
    const values = environments.flatMap((env) =>
      Object.entries(env).flatMap(([name, value]) =>
        isSecret(name) && typeof value === 'string' && value.length >= SHORTEST_VALUE ? [value] : [],
      ),
    );
    // The longest first: one may be a part of another.
    this.#values = [...new Set(values)].sort((a, b) => b.length - a.length);
  }

  hide(value: unknown, path: readonly string[]): unknown {
    if (value === undefined) return undefined;
    return path.some(isSecret) && !isCount(value) ? HIDDEN : this.#within(value);
  }

  text(text: string): string {
    let hidden = text;
    for (const value of this.#values) hidden = hidden.replaceAll(value, HIDDEN);
    return replaceSecrets(hidden, HIDDEN);
  }

  #within(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.#within(each));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [
      this.text(name),
      isSecret(name) && !isCount(each) ? HIDDEN : this.#within(each),
    ]);
    return Object.fromEntries(entries);
  }
}

const isCount = (value: unknown): boolean => value === null || ['number', 'boolean'].includes(typeof value);
