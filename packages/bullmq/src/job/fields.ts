import { JobError } from '../errors.js';

/** Says what is wrong with a value, or `undefined`. */
export type Check = (value: unknown) => string | undefined;

const LONE_SURROGATE = /\p{Surrogate}/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @param max - UTF-16 units. */
export function text(max: number): Check {
  return (value) => {
    if (typeof value !== 'string') return `must be a string, got ${typeOf(value)}`;
    if (value === '') return 'must not be empty';
    // Redis stores UTF-8: half a pair would come back as something else.
    if (LONE_SURROGATE.test(value)) return 'must be well-formed Unicode';
    return value.length <= max ? undefined : `must have at most ${max} characters, got ${value.length}`;
  };
}

export const uuid: Check = (value) =>
  typeof value === 'string' && UUID.test(value)
    ? undefined
    : `must be a lower-case UUID, got ${typeof value === 'string' ? 'another string' : typeOf(value)}`;

export function labels(max: number, keyLength: number, valueLength: number): Check {
  return (value) => {
    if (!isPlainObject(value)) return `must be an object of strings, got ${typeOf(value)}`;
    const entries = Object.entries(value);
    if (entries.length > max) return `must have at most ${max} entries, got ${entries.length}`;
    for (const [key, label] of entries) {
      const wrong = text(keyLength)(key) ?? text(valueLength)(label);
      if (wrong !== undefined) return `has an entry whose key or value ${wrong}`;
    }
    return undefined;
  };
}

/**
 * Checks an object against a table, and refuses what is not in it, by name.
 * @throws JobError `invalid_job`.
 */
export function checkFields(
  value: unknown,
  what: string,
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>>,
): asserts value is Record<string, unknown> {
  if (!isPlainObject(value)) throw new JobError('invalid_job', `${what} must be an object, got ${typeOf(value)}.`);
  const known = [...Object.keys(required), ...Object.keys(optional)];
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 64)));
    throw new JobError(
      'invalid_job',
      `${what} has fields that no job may have: ${names.join(', ')}. ` +
        `Allowed are ${known.join(', ')}; everything else belongs to the worker's profile.`,
    );
  }
  for (const [name, check] of Object.entries({ ...required, ...optional })) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined && !Object.hasOwn(required, name)) continue;
    const wrong = check(field);
    if (wrong !== undefined) throw new JobError('invalid_job', `\`${name}\` of ${what} ${wrong}.`);
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}
