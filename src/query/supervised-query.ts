import { openSession } from './open-session.js';
import { SessionQuery } from './query.js';
import type { Query, QueryParams } from './query-types.js';

export { judgeRelease } from './releases/judge-release.js';

/** What `claudewire/adapter` needs and the public functions do not tell. @internal */
export interface SupervisedQuery {
  readonly query: Query;
  /**
   * Ends the process. Resolves when it is gone, or the ladder of signals is at its end. Safe to call twice.
   * @param because - Of a caller that failed: a kind of `outcomeOf()`, for the channels.
   */
  end(because?: string): Promise<void>;
}

/**
 * `query()`, for a caller that has to know when the process is gone, and that sends no text with `verbatimPrompts` to a
 * release that would interpret it.
 * @param params.silences - Codes of process warnings that are not for this caller's users.
 * @param params.checksOnFailure - The caller checks by itself whether the CLI confirms hooks with `onFailure`.
 * @internal
 */
export function superviseQuery({
  prompt,
  options,
  silences,
  checksOnFailure,
}: QueryParams & {
  readonly silences?: readonly string[];
  readonly checksOnFailure?: boolean | undefined;
}): SupervisedQuery {
  const checks = { checksOnFailure, checksVerbatim: true };
  const session = openSession({ front: 'query', prompt, options: options ?? {}, silences, ...checks });
  return {
    query: new SessionQuery(session),
    end: async (because) => {
      session.close(undefined, { because });
      await session.ended();
    },
  };
}
