import { isSecretName, REDACTED, withoutKnownForms } from '../../util/secrets.js';

export { isSecretName, REDACTED };

/** Removes secrets from strings and plain values. */
export interface Redact {
  text(text: string): string;
  /**
   * A copy of plain data with every string redacted. Other objects become their text. Keys stay: readers look for them.
   * @param fixed - Fields whose strings stay too: the adapter's own constants, which readers compare.
   */
  value<T>(value: T, fixed?: ReadonlySet<string>): T;
}

/** Shorter values are words and numbers. Removing those would make a log unreadable and hide nothing. */
const MIN_SECRET_LENGTH = 6;

/** The password of a URL, whatever the variable is called. */
const URL_PASSWORD = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** Everyday variables. Without their values no log could be read. */
const EVERYDAY =
  /^(?:HOME|USERPROFILE|PATH|PWD|SHELL|USER|LOGNAME|TERM|COLORTERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|EDITOR|CI|NODE_ENV|XDG_\w+)$/i;

/**
 * Makes a redactor for known secrets, which also knows the forms of common API keys and tokens.
 * @param secrets - Strings to remove wherever they occur. `undefined` and strings under 6 characters are ignored.
 */
export function createRedact(secrets: Iterable<string | undefined>): Redact {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < MIN_SECRET_LENGTH) continue;
    known.add(secret);
    // As it is written in JSON and in a URL.
    known.add(JSON.stringify(secret).slice(1, -1));
    known.add(new URLSearchParams([['', secret]]).toString().slice(1));
    for (const line of secret.split('\n')) {
      // A log may quote one line of a key file, and a header file may hold several secrets.
      if (line.trim().length >= MIN_SECRET_LENGTH) known.add(line.trim());
    }
  }
  // Longest first: a secret that is part of another must not leave the rest of that one behind.
  const list = [...known].sort((a, b) => b.length - a.length);
  const text = (input: string): string =>
    withoutKnownForms(list.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), input));
  return {
    text,
    // The shape is kept, so the type holds for plain data.
    value: <T>(value: T, fixed: ReadonlySet<string> = NOTHING): T =>
      redactValue(value, { text, fixed, seen: new Map() }) as T,
  };
}

const NOTHING: ReadonlySet<string> = new Set();

interface Redacting {
  readonly text: (input: string) => string;
  readonly fixed: ReadonlySet<string>;
  /** The copy of each object. While an object is being copied: its placeholder. */
  readonly seen: Map<object, unknown>;
}

function redactValue(value: unknown, run: Redacting): unknown {
  if (typeof value === 'string') return run.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (run.seen.has(value)) return run.seen.get(value);
  run.seen.set(value, '[circular]');
  const copy = redactObject(value, run);
  run.seen.set(value, copy);
  return copy;
}

function redactObject(value: object, run: Redacting): unknown {
  if (Array.isArray(value)) return value.map((entry) => redactValue(entry, run));
  if (value instanceof Error) return run.text(`${value.name}: ${value.message}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return 'toJSON' in value && typeof value.toJSON === 'function'
      ? redactValue(value.toJSON(), run)
      : run.text(String(value));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      typeof entry === 'string' && run.fixed.has(key) ? entry : redactValue(entry, run),
    ]),
  );
}

/**
 * The values that must not leave a run: the API key, variables that were passed on by name, other variables whose names
 * say that they are secret, and passwords in URLs.
 */
export function secretsOf(sources: {
  readonly apiKey?: string | undefined;
  /** Values the caller wrote down for the child. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Host variables that were passed on by name. Their values are secrets, except everyday ones such as `PATH`. */
  readonly passEnv?: readonly string[] | undefined;
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
}): string[] {
  const { apiKey, env = {}, passEnv = [], hostEnv = {} } = sources;
  const isNamed = (name: string): boolean => passEnv.includes(name) && !EVERYDAY.test(name);
  const variables = [...Object.entries(env), ...Object.entries(hostEnv)];
  const secrets = Object.entries(hostEnv).filter(([name]) => isNamed(name));
  secrets.push(...variables.filter(([name]) => isSecretName(name)));
  return [
    apiKey,
    ...secrets.map(([, value]) => value),
    ...variables.flatMap(([, value]) => urlPasswords(value ?? '')),
  ].filter((value) => value !== undefined && value.length >= MIN_SECRET_LENGTH) as string[];
}

function urlPasswords(value: string): string[] {
  return [...value.matchAll(URL_PASSWORD)].flatMap(([, password = '']) => [
    password,
    // As the CLI would quote it after reading the URL.
    new URLSearchParams(`p=${password.replaceAll('+', '%2B')}`).get('p') ?? password,
  ]);
}
