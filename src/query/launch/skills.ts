import { invalidOption } from '../../errors/invalid-option.js';
import { InvalidOptionError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import type { Options } from '../options.js';
import { type Check, isListOf, isText } from './option-checks.js';

/**
 * What a skill's name may not be, since `Skill(name)` joins a comma list of permission rules: a name
 * with `),Bash(` in it would allow Bash. The list is that of the Python SDK (PY-069).
 */
const UNUSABLE_NAME: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^\s*$/, 'is empty'],
  [/^\s|\s$/, 'starts or ends with white space'],
  [/[(),]/, 'contains a parenthesis or a comma'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  [/[\u0000-\u001f\u007f-\u009f\ufeff]/, 'contains a control character'],
  [/\p{Surrogate}/u, 'contains half a surrogate pair'],
  [/^\*$|:\*$| \*$/, 'is a wildcard'],
  [/^\//, 'starts with a slash'],
  [/\\\\|\\$/, 'ends with a backslash or contains two in a row'],
];

const isSkillName: Check = (value, path) => {
  isText(value, path);
  const problem = UNUSABLE_NAME.find(([pattern]) => pattern.test(value as string));
  if (problem !== undefined) {
    throw new InvalidOptionError(
      path,
      `Option \`${path}\` cannot be a skill's name: ${describeValue(value)} ${problem[1]}.`,
    );
  }
};

export const isSkills: Check = (value, path) => {
  if (value === 'all') return;
  if (!Array.isArray(value)) throw invalidOption(path, "'all' or an array of names", value);
  isListOf(isSkillName)(value, path);
};

/** `allowedTools` with the rules that `skills` adds after the caller's own, none twice. */
export function allowedToolsWithSkills(
  allowedTools: readonly string[] = [],
  skills: NonNullable<Options['skills']> = [],
): readonly string[] {
  const rules = skills === 'all' ? ['Skill'] : skills.map((name) => `Skill(${name})`);
  return [...allowedTools, ...new Set(rules.filter((rule) => !allowedTools.includes(rule)))];
}
