/** What stands in a secret's place. */
export const REDACTED = '[redacted]';

/** Takes secrets out of texts and plain values. */
export interface Redact {
  text(text: string): string;
  /** A copy of plain data with every string redacted, keys included. Other objects become their text. */
  value<T>(value: T): T;
}

/** Shorter values are words and numbers, and taking those out would make a log unreadable without hiding anything. */
const MIN_SECRET_LENGTH = 6;

/** Keys of Anthropic, wherever they come from. */
const API_KEY = /\bsk-ant-[\w-]{6,}/g;

/** Names of variables that hold credentials. */
const SECRET_NAME =
  /key|token|secret|passw|passphrase|credential|auth|cookie|headers?$|private|dsn|connection_string/i;

/** True when a variable of this name should be taken for a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Makes a redactor for known secrets, which also knows the form of Anthropic's API keys.
 *
 * @param secrets - Texts to take out, wherever they occur. `undefined` and texts under 6 characters are left alone.
 */
export function createRedact(secrets: Iterable<string | undefined>): Redact {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < MIN_SECRET_LENGTH) continue;
    known.add(secret);
    // As it stands in JSON inside of a text, and in a URL.
    known.add(JSON.stringify(secret).slice(1, -1));
    known.add(new URLSearchParams([['', secret]]).toString().slice(1));
    for (const line of secret.split('\n')) {
      // A log may quote one line of a key file, and a header file may hold several secrets.
      if (line.trim().length >= MIN_SECRET_LENGTH) known.add(line.trim());
    }
  }
  // Longest first: a secret that is part of another must not leave the rest of it behind.
  const list = [...known].sort((a, b) => b.length - a.length);
  const text = (input: string): string =>
    list
      .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), input)
      .replace(API_KEY, REDACTED);
  return {
    text,
    // The shape is kept, so the type holds for plain data.
    value: <T>(value: T): T => redactValue(value, text, []) as T,
  };
}

function redactValue(value: unknown, text: (input: string) => string, above: object[]): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  const inner = [...above, value];
  if (Array.isArray(value)) return value.map((entry) => redactValue(entry, text, inner));
  if (value instanceof Error) return text(`${value.name}: ${value.message}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return 'toJSON' in value && typeof value.toJSON === 'function'
      ? redactValue(value.toJSON(), text, inner)
      : text(String(value));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [text(key), redactValue(entry, text, inner)]),
  );
}

/**
 * The values that must not leave a run: all that were given to the child by name or in a config, and what the names of
 * the host's own variables give away as secret.
 */
export function secretsOf(sources: {
  readonly apiKey?: string | undefined;
  /** Values the caller wrote down for the child. Each counts as a secret. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Host variables that were passed on by name. Each value counts as a secret. */
  readonly passEnv?: readonly string[] | undefined;
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
}): string[] {
  const { apiKey, env = {}, passEnv = [], hostEnv = {} } = sources;
  const hostSecrets = Object.entries(hostEnv)
    .filter(([name]) => isSecretName(name) || passEnv.includes(name))
    .map(([, value]) => value);
  return [apiKey, ...Object.values(env), ...hostSecrets].filter(
    (value): value is string => typeof value === 'string' && isTelling(value),
  );
}

/** Paths, words and numbers that many variables share: taking them out would hide nothing and cost every path in a log. */
const COMMON =
  /^(?:\/[\w./-]*|true|false|production|development|test|[\d.]+|xterm.*|[a-z]{2}_[A-Z]{2}\.UTF-8)$/;

function isTelling(value: string): boolean {
  return value.length >= MIN_SECRET_LENGTH && !COMMON.test(value);
}
