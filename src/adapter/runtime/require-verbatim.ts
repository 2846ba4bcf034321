import { isFromRelease } from '../../util/cli-versions.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { RuntimeQuery } from './agent-runtime.js';
import { releaseName } from './guarantees.js';

/** The first release that passes marked messages verbatim, as the table of `query` has it. */
const PROVED = '2.1.248';

/** A leading slash may be a command, an at sign outside of a word may be a mention of a file. */
const INTERPRETED = /^\s*\/|(?:^|[^A-Za-z0-9])@/;

/**
 * Refuses a text with a command or a mention if the release may interpret it: it would run `/config` and read `@file`.
 * @throws {@link AdapterConfigError}
 */
export async function requireVerbatim(text: string, query: RuntimeQuery): Promise<void> {
  if (!INTERPRETED.test(text) || query.cliVersion === undefined) return;
  const version = await query.cliVersion();
  if (version !== undefined && isFromRelease(version, PROVED)) return;
  throw new AdapterConfigError(
    `${releaseName(version)} is not known to take a text word by word: it may run a leading \`/\` as a command and read \`@path\` from the disk. Nothing was sent.`,
    ['interpretPrompts'],
    {
      hint: `Use Claude Code ${PROVED} or later, leave \`/\` at the start and \`@\` out of the text, or set \`interpretPrompts: true\` for texts that you wrote.`,
    },
  );
}
