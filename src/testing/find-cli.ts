import { existsSync } from 'node:fs';
import { InvalidOptionError } from '../index.js';
import { locateExecutable } from '../query/supervised-query.js';
import { errorText } from '../util/error-text.js';

/**
 * The real CLI to record: the file that was named, else what `query()` would start.
 *
 * @param given - A path, or a name to look up in PATH. @defaultValue the CLI that is found
 * @param env - Where PATH and CLAUDE_CODE_EXECUTABLE are read. @defaultValue `process.env`
 * @throws InvalidOptionError there is none; the message says where it was looked for.
 */
export function findCli(
  given?: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (given !== undefined && existsSync(given)) return given;
  const { path, error } = locateExecutable({ pathToClaudeCodeExecutable: given, env });
  if (path !== undefined) return path;
  const places = (error as { readonly searched?: readonly string[] }).searched ?? [];
  const looked = places.length === 0 ? errorText(error) : `Searched: ${places.join(', ')}.`;
  throw new InvalidOptionError(
    'cli',
    `There is no CLI to record${given === undefined ? '' : ` at ${given}`}. Give its path (\`cli\`, or --cli), or set CLAUDE_CODE_EXECUTABLE. ${looked}`,
  );
}
