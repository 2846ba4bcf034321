import { describeValue } from '../util/describe-value.js';
import { InvalidOptionError } from './option-errors.js';

/** The error for a value of the wrong kind: the option's path, what was expected, the value and its type. */
export function invalidOption(
  path: string,
  expected: string,
  value: unknown,
  hint?: string,
): InvalidOptionError {
  return new InvalidOptionError(
    path,
    `Option \`${path}\` must be ${expected}, but is ${describeValue(value)}.`,
    hint === undefined ? {} : { hint },
  );
}
