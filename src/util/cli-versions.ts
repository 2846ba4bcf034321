import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Releases of the CLI that were recorded, oldest first, and what is known to differ from the newest. By `npm run wire`. */
// <known-differences>
const TESTED: readonly (readonly [version: string, known: string])[] = [
  [
    '2.0.0',
    'no answer to end_session, file_suggestions, get_binary_version, get_context_usage, get_hooks_listing, get_session_cost, get_settings, get_usage, list_models, list_permission_rules, mcp_status, rewind_files',
  ],
  ['2.1.330', ''],
];
// </known-differences>

const numberOf = (version: string): number => version.split('.').reduce((sum, part) => sum * 1e4 + Number(part), 0);

/** What is known of a release of the CLI. @returns one sentence; `''` when it was tested and nothing differs */
export function aboutVersion(version: string): string {
  const [newest = ''] = TESTED.at(-1) ?? [];
  const at = numberOf(version);
  const [, known] = TESTED.findLast(([each]) => numberOf(each) <= at) ?? TESTED[0] ?? [];
  const differs = known ? `Known to differ: ${known}.` : 'Nothing is known to differ.';
  if (at > numberOf(newest)) return `CLI ${version} is newer than what was tested (${newest}). ${differs}`;
  if (at < numberOf(TESTED[0]?.[0] ?? ''))
    return `CLI ${version} is older than what was tested (${TESTED[0]?.[0]}). ${differs}`;
  return known ? `CLI ${version} is older than ${newest}. ${differs}` : '';
}

/** The version of the CLI at a path, as npm's file beside it says. Nothing is started. */
export function versionBeside(executable: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(join(realpathSync(executable), '..', 'package.json'), 'utf8'));
    return String(name).startsWith('@anthropic-ai/claude-code') ? version : undefined;
  } catch {
    return undefined;
  }
}
