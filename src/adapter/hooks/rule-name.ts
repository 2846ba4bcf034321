/** The tool that a permission rule is about: `Bash(git:*)` is about `Bash`. */
export function ruleName(rule: string): string {
  return rule.replace(/\(.*/s, '').trim();
}
