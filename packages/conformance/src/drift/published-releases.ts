import { InvalidOptionError } from 'claudewire';
import { execa } from 'execa';
import { parseJsonArray } from '../util/json.js';

/** What `drift` compares and the table has columns of. */
export type ReleaseKind = 'cli' | 'ts' | 'py';

/** Names on npm, and of `py` on PyPI. */
export const PACKAGES: Readonly<Record<ReleaseKind, string>> = {
  cli: '@anthropic-ai/claude-code',
  ts: '@anthropic-ai/claude-agent-sdk',
  py: 'claude-agent-sdk',
};

const ASK_LIMIT_MS = 60_000;
const NAMED = 3;

/**
 * Says which releases there are instead of one that there is not. A registry that does not answer says nothing.
 *
 * @throws InvalidOptionError the registry does not have the release.
 */
export async function assertPublished(kind: ReleaseKind, version: string): Promise<void> {
  const published = await publishedReleases(kind);
  if (published.length === 0 || published.includes(version)) return;
  const newest = published.slice(0, NAMED).join(', ');
  throw new InvalidOptionError('release', `there is no ${PACKAGES[kind]} ${version}; the newest are ${newest}`);
}

/** Newest first; empty when the registry cannot be asked. */
async function publishedReleases(kind: ReleaseKind): Promise<readonly string[]> {
  const command = kind === 'py' ? ['-m', 'pip', 'index', 'versions'] : ['view', '--json', '--silent'];
  const args = kind === 'py' ? [...command, PACKAGES.py] : [...command, PACKAGES[kind], 'versions'];
  const { failed, stdout } = await execa(kind === 'py' ? 'python3' : 'npm', args, {
    stdin: 'ignore',
    timeout: ASK_LIMIT_MS,
    reject: false,
  });
  if (failed) return [];
  return kind === 'py' ? releasesOnPypi(stdout) : parseJsonArray(stdout).map(String).reverse();
}

/** The releases in what `pip index versions` prints, newest first. */
export function releasesOnPypi(printed: string): readonly string[] {
  return /^Available versions: (.+)$/m.exec(printed)?.[1]?.split(', ') ?? [];
}
