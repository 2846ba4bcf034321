import { InvalidOptionError } from '../../errors.js';

/**
 * An option's value as JSON text. Functions and `undefined` inside are left out, as JSON does.
 * @throws InvalidOptionError it cannot become JSON: a cycle, a BigInt, a `toJSON` that throws.
 */
export function toJsonText(value: unknown, option: string): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'it has no JSON form';
  throw new InvalidOptionError(
    option,
    `Nothing was sent: option \`${option}\` cannot be sent as JSON (${reason}).`,
    cause === undefined ? {} : { cause },
  );
}

/** A copy of an option's value exactly as the peer will read it, so that what was checked is what is sent. */
export function toWireJson<T>(value: T, option: string): T {
  // The copy has T's shape less what JSON cannot carry, which T's types allow to be absent.
  return JSON.parse(toJsonText(value, option)) as T;
}
