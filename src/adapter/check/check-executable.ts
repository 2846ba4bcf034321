import { missingExecutable } from '../errors/missing-executable.js';
import { runCommand } from '../isolation/run-command.js';
import type { AgentRuntime } from '../runtime/agent-runtime.js';
import { type CheckItem, failed, passed, warning } from './check-report.js';
import type { CheckWays } from './check-ways.js';

const TIMEOUT_MS = 15_000;

export interface ExecutableInput {
  readonly runtime: AgentRuntime;
  readonly pathToClaudeCodeExecutable: string | undefined;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
  /** A folder of our own, for what the program might write. */
  readonly folder: string | undefined;
  readonly ways: CheckWays;
}

/** Looks for the CLI as a run would, and asks it for its version. */
export async function checkExecutable(input: ExecutableInput): Promise<CheckItem> {
  const { runtime, pathToClaudeCodeExecutable, childEnv, ways } = input;
  const { path, error } = await runtime.locateExecutable({
    pathToClaudeCodeExecutable,
    env: childEnv,
  });
  if (path === undefined) {
    const { found, fix } = missingExecutable(error, ways.executable);
    return failed('executable', found, fix);
  }
  const { exitCode, stdout, stderr, failure } = await askForVersion(path, input);
  const version = /(?<!\d)\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
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
    `Install it anew with \`npm install -g @anthropic-ai/claude-code\`, or ${ways.executable}.`,
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
