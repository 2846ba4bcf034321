import { requireOption } from '../errors/usage-errors.js';
import { string } from '../util/validate.js';
import { isSecretName, PATTERNS } from './recorder/scrub/rules.js';

/**
 * Whether a field, flag or variable of this name holds a secret, by the rules of the recorder.
 * @throws ConfigurationError for a name that is no string.
 */
export function holdsSecret(name: string): boolean {
  requireOption(string, name, 'name');
  // A field `pwd` may be a folder; of `pass` only a value tells the recorder whether it is a password.
  return isSecretName(name) || /^pass$/i.test(name);
}

/**
 * The text without the secrets that the recorder tells by their form, or by the name before them.
 * @param by - Stands in the place of each.
 * @throws ConfigurationError for an argument that is no string.
 */
export function replaceSecrets(text: string, by: string): string {
  requireOption(string, text, 'text');
  requireOption(string, by, 'by');
  let current = text;
  for (const { pattern, hint } of PATTERNS) {
    if (hint?.test(current) !== false) current = current.replace(pattern, () => by);
  }
  return current;
}
