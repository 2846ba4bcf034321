import { runCommand } from '../isolation/run-command.js';
import type { AgentRuntime } from '../runtime/agent-runtime.js';
import { type CheckItem, failed, passed, warning } from './check-report.js';

const TIMEOUT_MS = 15_000;
const INSTALL =
  'Install it (`npm install -g @anthropic-ai/claude-code`), or give its path as `pathToClaudeCodeExecutable`.';

export interface ExecutableInput {
  readonly runtime: AgentRuntime;
  readonly pathToClaudeCodeExecutable: string | undefined;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
  /** A folder of our own, for what the program might write. */
  readonly folder: string | undefined;
}

/** Looks for the CLI as a run would, and asks it for its version. */
export async function checkExecutable(input: ExecutableInput): Promise<CheckItem> {
  const { runtime, pathToClaudeCodeExecutable, childEnv } = input;
  const path = await runtime.locateExecutable({ pathToClaudeCodeExecutable, env: childEnv });
  if (path === undefined) {
    const where = pathToClaudeCodeExecutable ?? 'in the usual places';
    return failed('executable', `Claude Code was not found: ${where}.`, INSTALL);
  }
  const { exitCode, stdout, stderr, failure } = await askForVersion(path, input);
  const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  if (exitCode === 0 && version !== undefined) {
    return passed('executable', `Claude Code ${version} is at ${path}.`);
  }
  if (failure === undefined && exitCode === 0) {
    return warning(
      'executable',
      `${path} does not tell its version.`,
      'Make sure that it is Claude Code.',
    );
  }
  const said = stderr.trim().split('\n')[0]?.slice(0, 300);
  return failed(
    'executable',
    `${path} cannot be run: ${said || (failure ?? `exit code ${exitCode}`)}.`,
    INSTALL,
  );
}

function askForVersion(
  path: string,
  { childEnv, folder }: ExecutableInput,
): ReturnType<typeof runCommand> {
  const isScript = /\.[cm]?js$/.test(path);
  const args = [...(isScript ? [path] : []), '--version'];
  // Nothing else of the environment matters to it, and nothing secret is handed on.
  const { PATH, Path, SystemRoot } = childEnv;
  const env = { PATH, Path, SystemRoot, HOME: folder, TMPDIR: folder, DISABLE_AUTOUPDATER: '1' };
  return runCommand(isScript ? process.execPath : path, args, { env, timeoutMs: TIMEOUT_MS });
}
