import { resolveCommand } from '../transport/command.js';
import { openSession } from './open-session.js';
import { SessionQuery } from './query.js';
import type { Query, QueryParams } from './query-types.js';

/** What `claudewire/adapter` needs and the public functions do not tell. @internal */
export interface SupervisedQuery {
  readonly query: Query;
  /** Ends the process. Resolves when it is gone, or the ladder of signals is at its end. Safe to call twice. */
  end(): Promise<void>;
}

/** `query()`, for a caller that has to know when the process is gone. @internal */
export function superviseQuery({ prompt, options }: QueryParams): SupervisedQuery {
  const session = openSession({ front: 'query', prompt, options: options ?? {} });
  return {
    query: new SessionQuery(session),
    end: async () => {
      session.close();
      await session.ended();
    },
  };
}

/** @returns the executable that `query()` would start, `undefined` when there is none. Starts nothing. @internal */
export function locateExecutable(options: {
  readonly pathToClaudeCodeExecutable?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}): string | undefined {
  try {
    const { file, args } = resolveCommand(
      { path: options.pathToClaudeCodeExecutable, runtime: process.execPath, runtimeArgs: [] },
      { env: options.env ?? process.env },
    );
    return args.at(-1) ?? file;
  } catch {
    return undefined;
  }
}
