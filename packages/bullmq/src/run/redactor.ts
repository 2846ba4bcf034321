const REDACTED = '[redacted]';

/** Names of variables whose values are credentials. A name too many costs a word in a log, one too few a key. */
const SECRET_NAME = /token|secret|passw|passphrase|credential|auth|key|cookie|dsn|private|connection_?string/i;

/** Credentials that can be told by their form, wherever they come from. */
const FORMS = [
  /\bsk-ant-[\w-]{6,}/g,
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-)[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  // Near the start of a run of such characters alone: looked for everywhere, a text made for it would take minutes.
  /(?<=(?<![\w-])[\w-]{0,64})\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
  /(?<=\b(?:bearer|basic)\s{1,3})[\w.~+/-]{8,}=*/gi,
];

/** Shorter values are words: to replace them would only spoil texts. */
const MIN_LENGTH = 8;

/** Takes credentials out of what a job says about itself. What a model says to the user stays in the session store. */
export class Redactor {
  readonly #values: readonly string[];

  /** @param environments - Values of variables that are named like credentials are replaced. */
  constructor(...environments: readonly Readonly<Record<string, string | undefined>>[]) {
    const found = environments.flatMap((environment) =>
      Object.entries(environment).flatMap(([name, value]) =>
        typeof value === 'string' && value.length >= MIN_LENGTH && SECRET_NAME.test(name) ? [value] : [],
      ),
    );
    // Longer ones first: one may be a part of another.
    this.#values = [...new Set(found)].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, REDACTED);
    for (const form of FORMS) clean = clean.replace(form, REDACTED);
    return clean;
  }

  /** The same value, or a copy of it whose texts and keys are clean. */
  value<T>(value: T): T {
    // Most have nothing to hide, and a text in JSON may be spelled otherwise than in memory: both are looked at.
    return this.#clean(value) as T;
  }

  #clean(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value))
      return sameOr(
        value,
        value.map((item) => this.#clean(item)),
      );
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const clean = entries.map(([name, item]) => [this.text(name), this.#clean(item)] as const);
    const isSame = clean.every(([name, item], index) => name === entries[index]?.[0] && item === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(clean);
  }
}

function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
