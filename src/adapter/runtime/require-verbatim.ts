import { AdapterConfigError } from '../errors/adapter-error.js';
import type { RuntimeQuery } from './agent-runtime.js';

/** The oldest release that was seen to pass marked messages verbatim. 2.0.0 ignores the mark. */
const PROVED = [2, 1, 330] as const;

/** A leading slash may be a command, an at sign outside of a word may be a mention of a file. */
const INTERPRETED = /^\s*\/|(?:^|[^A-Za-z0-9])@/;

/**
 * Refuses a text with a command or a mention if the release may interpret it: it would run `/config` and read `@file`.
 * @throws {@link AdapterConfigError}
 */
export async function requireVerbatim(text: string, query: RuntimeQuery): Promise<void> {
  if (!INTERPRETED.test(text) || query.cliVersion === undefined) return;
  const version = await query.cliVersion();
  if (isProved(version)) return;
  const name = version === undefined ? 'This Claude Code' : `Claude Code ${version}`;
  throw new AdapterConfigError(
    `${name} is not known to take a text word by word: it may run a leading \`/\` as a command and read \`@path\` from the disk. Nothing was sent.`,
    ['interpretPrompts'],
    {
      hint: `Use Claude Code ${PROVED.join('.')} or later, leave \`/\` at the start and \`@\` out of the text, or set \`interpretPrompts: true\` for texts that you wrote.`,
    },
  );
}

function isProved(version: string | undefined): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (parts === undefined) return false;
  const differing = PROVED.findIndex((least, index) => parts[index] !== least);
  return differing === -1 || (parts[differing] ?? 0) > (PROVED[differing] ?? 0);
}
