import type { ResolvedClientConfig } from './client-config.js';

/**
 * The CLI of a run: the one that is named, else what `CLAUDE_CODE_EXECUTABLE` names on the host. The SDK looks for that variable in the
 * child's environment, and an isolated child does not have it.
 */
export function executableOf(
  { pathToClaudeCodeExecutable }: ResolvedClientConfig,
  hostEnv: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return pathToClaudeCodeExecutable ?? (hostEnv.CLAUDE_CODE_EXECUTABLE || undefined);
}
