import { type ClaudeSDKError, isClaudeSDKError } from '../../errors/claude-sdk-error.js';

/** How callers of the adapter give the path. */
export const PATH_OPTIONS = 'give its path: `pathToClaudeCodeExecutable`, or the variable CLAUDE_CODE_EXECUTABLE';

/**
 * The text for a CLI that cannot be found or started. Both parts are whole sentences.
 * @param error - What the search for it ended with: an error of the SDK, of any copy of it.
 * @param otherwise - What can be done besides installing it.
 * @param listsPlaces - Each place that was searched has a line of its own.
 */
export function missingExecutable(
  error: unknown,
  otherwise: string = PATH_OPTIONS,
  listsPlaces = false,
): { readonly found: string; readonly fix: string } {
  const install = 'Install it with `npm install -g @anthropic-ai/claude-code`';
  const fix = `${install}, or ${otherwise}.`;
  if (!isClaudeSDKError(error)) return { found: 'Claude Code was not found.', fix };
  if (error.errorClass !== 'executable_not_found') return { found: asSentence(error.message), fix: error.hint ?? fix };
  const { cliPath, searched = [] } = error as NotFound;
  const places = searched.filter((place) => place !== cliPath);
  const at = cliPath === undefined ? '' : ` at ${cliPath}`;
  const list = listsPlaces ? `:${places.map((place) => `\n  ${place}`).join('')}` : ` ${places.join(', ')}.`;
  const where = places.length === 0 ? '' : ` It was looked for in${list}`;
  return { found: `Claude Code was not found${at}.${where}`, fix };
}

type NotFound = ClaudeSDKError & { readonly cliPath?: string; readonly searched?: readonly string[] };

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The cure where a part of this package cannot be loaded. It names no registry: the package is not published. */
export const REINSTALL =
  'Install claudewire again: `npm ci && npm pack` in a clone of its repository, then `npm install <clone>/claudewire-<version>.tgz`.';
