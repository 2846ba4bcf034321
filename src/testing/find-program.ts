import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ClaudeSDKError } from '../errors.js';
import { InvalidOptionError } from '../index.js';
import { locateExecutable } from '../query/supervised-query.js';
import { errorText } from '../util/error-text.js';

/**
 * Where a program of this package lies: in the package beside this folder; in a checkout the tests build it.
 *
 * @throws ClaudeSDKError (`executable_not_found`) it is in neither place.
 */
export function findProgram(name: 'player.mjs' | 'recorder.mjs'): URL {
  const places = [`../${name}`, `../../.build/${name}`].map((place) => new URL(place, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new ClaudeSDKError(
    `${name} was not found at ${places.map((place) => fileURLToPath(place)).join(', ')}`,
    'executable_not_found',
    { hint: 'A bundler left it out: keep claudewire external, or play in process.' },
  );
}

/**
 * The real CLI to record: the file that was named, else what `query()` would start.
 *
 * @param given - A path, or a name to look up in PATH. @defaultValue the CLI that is found
 * @param env - Where PATH and CLAUDE_CODE_EXECUTABLE are read. @defaultValue `process.env`
 * @throws InvalidOptionError there is none; the message says where it was looked for.
 */
export function findCli(given?: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
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
