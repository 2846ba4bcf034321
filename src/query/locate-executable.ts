import { versionBeside } from '../transport/cli-release.js';
import { executableOf, resolveCommand } from '../transport/command.js';
import { toLaunchError } from '../transport/launch-error.js';

/**
 * The path of the executable that `query()` would start, and its release where the files around it tell. `error` says why
 * there is none. Starts nothing. @internal
 */
export function locateExecutable(options: {
  readonly pathToClaudeCodeExecutable?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}): { readonly path: string | undefined; readonly release?: string | undefined; readonly error?: unknown } {
  const env = options.env ?? process.env;
  try {
    const command = resolveCommand(
      { path: options.pathToClaudeCodeExecutable, runtime: process.execPath, runtimeArgs: [] },
      { env },
    );
    const path = executableOf(command, { env });
    return { path, release: versionBeside(path) };
  } catch (error) {
    return { path: undefined, error };
  }
}

/**
 * What `query()` would say of an executable that the system does not start.
 * @param code - The system's, such as `EACCES`.
 * @internal
 */
export function launchErrorOf(executable: string, code: string): unknown {
  return toLaunchError(Object.assign(new Error(`spawn ${executable} ${code}`), { code }), { file: executable });
}
