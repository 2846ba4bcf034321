import { arrayOf, problemOf, string, type Validator } from '../../util/validate.js';
import type { Options } from '../options.js';

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

const skillName: Validator = (value, path) => {
  if (typeof value !== 'string') return string(value, path);
  const unusable = UNUSABLE_NAME.find(([pattern]) => pattern.test(value));
  if (unusable === undefined) return undefined;
  const problem = problemOf(path, "a skill's name", value);
  return { ...problem, got: `${problem.got}, which ${unusable[1]}` };
};

const skillNames = arrayOf(skillName);

export const skills: Validator = (value, path) => {
  if (value === 'all') return undefined;
  if (!Array.isArray(value)) return problemOf(path, "'all' or an array of names", value);
  return skillNames(value, path);
};

/** `allowedTools` with the rules that `skills` adds after the caller's own, none twice. */
export function allowedToolsWithSkills(
  allowedTools: readonly string[] = [],
  given: NonNullable<Options['skills']> = [],
): readonly string[] {
  const rules = given === 'all' ? ['Skill'] : given.map((name) => `Skill(${name})`);
  return [...allowedTools, ...new Set(rules.filter((rule) => !allowedTools.includes(rule)))];
}
