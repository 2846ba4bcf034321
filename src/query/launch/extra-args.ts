import { invalidOption, requireOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { memberPath } from '../../util/member-path.js';
import { argumentString } from '../../util/validate.js';
import type { Options } from '../options.js';

/**
 * The caller's own flags (TS-063): `null` is the bare flag, text a second token, or `--k=v` when it
 * starts with `-`. Not checked against the SDK's flags: both appear.
 *
 * @throws InvalidOptionError a value that is not text, a number, a boolean or `null`; a name with dashes.
 */
export function extraArguments(extraArgs: Options['extraArgs'] = {}): readonly string[] {
  return Object.entries(extraArgs).flatMap(([name, value]) => extraArgument(name, value));
}

function extraArgument(name: string, value: unknown): readonly string[] {
  const path = memberPath('extraArgs', name);
  requireOption(argumentString, name, path);
  if (name === '' || name.startsWith('-')) {
    throw new InvalidOptionError(
      path,
      `Option \`extraArgs\` takes names without dashes, but one is ${JSON.stringify(name.slice(0, 80))}.`,
      { hint: 'The SDK writes the two dashes itself.' },
    );
  }
  if (value === undefined) return [];
  if (value === null) return [`--${name}`];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw invalidOption(path, 'a string or null', value);
  }
  const text = String(value);
  requireOption(argumentString, text, path);
  return text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}
