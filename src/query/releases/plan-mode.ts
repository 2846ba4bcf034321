import type { Allowed } from './feature.js';
import { RULE } from './older-rules.js';

/* Rules that allow something, which count in plan mode on some releases. */

const WRITERS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** `undefined`: nothing that plan mode is against on newer releases, which also run commands that a rule names. */
export function allowedBy(rule: string): Allowed | undefined {
  const [, tool = rule, content = '*'] = RULE.exec(rule) ?? [];
  if (WRITERS.has(tool)) return 'writing';
  return tool === 'Bash' && /^[:*]*$/.test(content) ? 'commands' : undefined;
}
