import { memberPath } from '../../util/member-path.js';
import { ValidationError, type ValueIssue } from '../errors/prompt-errors.js';

/** A hostile value may have any number of faults; nobody reads more than these. */
const MAX_ISSUES = 100;
const MAX_IN_MESSAGE = 5;

export function valueError(issues: readonly ValueIssue[], cause?: unknown): ValidationError {
  const shown = issues
    .slice(0, MAX_IN_MESSAGE)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return new ValidationError(
    `The value does not fit its type: ${shown.join('; ')}`,
    issues.slice(0, MAX_ISSUES),
    {
      ...(cause === undefined ? {} : { cause }),
      hint: 'See `issues` for each place.',
    },
  );
}

/** What went wrong while a value was read: a getter that throws, a nesting deeper than the stack. */
export function unreadableValue(error: unknown): ValidationError {
  if (error instanceof ValidationError) return error;
  const message =
    error instanceof RangeError
      ? 'is nested too deeply, or the schema refers to itself without end'
      : 'cannot be read: a getter, a proxy or the schema itself throws';
  return valueError([{ path: '', message }], error);
}

/** `['items', 0, 'name']` as `items[0].name`. */
export function pathOf(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(memberPath, '');
}
