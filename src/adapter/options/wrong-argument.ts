import { argumentText } from '../../errors/invalid-option.js';
import { AdapterConfigError } from '../errors/config-errors.js';

/**
 * The error for an argument of the wrong kind: what the function takes, what it got, and what to pass.
 *
 * @param takes - Such as `totalTokens() takes a TokenUsage`.
 */
export function wrongArgument(
  name: string,
  takes: string,
  value: unknown,
  cure: string,
): AdapterConfigError {
  return new AdapterConfigError(argumentText(takes, value, cure), [name]);
}

/** The error of a constructor that is not for users: programs without types can call it. */
export function madeByCreate(example: string): AdapterConfigError {
  const name = example.split('.', 1).join();
  return new AdapterConfigError(`${name} has no public constructor. Use \`await ${example}\`.`, [
    'options',
  ]);
}
