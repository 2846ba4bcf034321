import { resolveCommand } from '../transport/command.js';
import { toCommandHost } from '../transport/command-host.js';
import { searchPath } from '../transport/discovery.js';
import { toLaunchError } from '../transport/launch-error.js';
import { openSession } from './open-session.js';
import { SessionQuery } from './query.js';
import type { Query, QueryParams } from './query-types.js';

/** What `claudewire/adapter` needs and the public functions do not tell. @internal */
export interface SupervisedQuery {
  readonly query: Query;
  /** Ends the process. Resolves when it is gone, or the ladder of signals is at its end. Safe to call twice. */
  end(): Promise<void>;
}

/**
 * `query()`, for a caller that has to know when the process is gone.
 * @param params.silences - Codes of process warnings that are not for this caller's users.
 * @internal
 */
export function superviseQuery({
  prompt,
  options,
  silences,
}: QueryParams & { readonly silences?: readonly string[] }): SupervisedQuery {
  const session = openSession({ front: 'query', prompt, options: options ?? {}, silences });
  return {
    query: new SessionQuery(session),
    end: async () => {
      session.close();
      await session.ended();
    },
  };
}

/** The path of the executable that `query()` would start. `error` says why there is none. Starts nothing. @internal */
export function locateExecutable(options: {
  readonly pathToClaudeCodeExecutable?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}): { readonly path: string | undefined; readonly error?: unknown } {
  const env = options.env ?? process.env;
  try {
    const { file, args } = resolveCommand(
      { path: options.pathToClaudeCodeExecutable, runtime: process.execPath, runtimeArgs: [] },
      { env },
    );
    const path = args.at(-1) ?? file;
    const isBareName = !/[\\/]/.test(path);
    return { path: isBareName ? (searchPath(path, toCommandHost({ env })).found ?? path) : path };
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
