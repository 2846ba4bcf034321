import { isJsonObject } from '../util/json.js';

export const HIDDEN = '<hidden>';

const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|BEARER|AUTH|HEADERS|COOKIE/i;
/** A field such as `max_tokens` is a count. */
const SECRET_FIELD =
  /(?:api|access|private|secret|auth|signing)[_-]?key|(?:^|[_-])key$|token(?!s$)|secret|passw|passphrase|credential|bearer|authoriz|(?:^|[_-])auth(?:$|[_-])|headers|cookie/i;
const SECRET_TEXTS = [
  /sk-[\w-]{12,}/g,
  /gh[pousr]_\w{16,}/g,
  /github_pat_\w{16,}/g,
  /glpat-[\w-]{16,}/g,
  /xox[abposr]-[\w-]{8,}/g,
  /npm_\w{20,}/g,
  /AKIA[0-9A-Z]{12,}/g,
  /AIza[\w-]{20,}/g,
  /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{0,}/g,
  /(?<=bearer )\S{8,}/gi,
  /(?<=:\/\/)[^/\s@]+(?=@)/g,
  /(?<=(?:key|token|secret|password|passwd)["']{0,1}[:=] {0,1}["']{0,1})[^\s"',}]{4,}/gi,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g,
];
/** A shorter value would be found in innocent texts. */
const SHORTEST_VALUE = 8;

/** Hides what looks like a secret in a value: by the names on the way to it, by its form, and the values of variables. */
export class SecretHider {
  readonly #values: readonly string[];

  /** @param environments - Values of variables with such names are hidden wherever they are. */
  constructor(environments: readonly Readonly<Record<string, unknown>>[]) {
    const values = environments.flatMap((env) =>
      Object.entries(env).flatMap(([name, value]) =>
        SECRET_VARIABLE.test(name) && typeof value === 'string' && value.length >= SHORTEST_VALUE ? [value] : [],
      ),
    );
    // The longest first: one may be a part of another.
    this.#values = [...new Set(values)].sort((a, b) => b.length - a.length);
  }

  hide(value: unknown, path: readonly string[], isVariable = false): unknown {
    if (value === undefined) return undefined;
    const isSecret = (name: string): boolean => (isVariable ? SECRET_VARIABLE : SECRET_FIELD).test(name);
    return path.some(isSecret) && !isCount(value) ? HIDDEN : this.#within(value);
  }

  text(text: string): string {
    let hidden = text;
    for (const value of this.#values) hidden = hidden.replaceAll(value, HIDDEN);
    for (const pattern of SECRET_TEXTS) hidden = hidden.replace(pattern, HIDDEN);
    return hidden;
  }

  #within(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.#within(each));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [
      this.text(name),
      SECRET_FIELD.test(name) && !isCount(each) ? HIDDEN : this.#within(each),
    ]);
    return Object.fromEntries(entries);
  }
}

const isCount = (value: unknown): boolean => value === null || ['number', 'boolean'].includes(typeof value);
