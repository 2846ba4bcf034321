import type { SDKResultMessage } from '../parser/message.js';
import { SessionQuery } from './query.js';
import type { Query } from './query-types.js';

/** What a run came to, whoever ended it. @internal */
export interface RunEnd {
  /** The last result: of a run that was stopped, the one that Claude Code reported on its way out. */
  readonly result: SDKResultMessage | undefined;
  /** Messages that were written and never answered. */
  readonly unansweredCount: number;
}

/**
 * Resolves when the process is gone, for functions over a run: `break` and `close()` leave without an error that could carry
 * the result.
 *
 * @returns `undefined` for a `Query` that is not one of this package.
 * @internal
 */
export async function runEndOf(query: Query): Promise<RunEnd | undefined> {
  const session = SessionQuery.sessionOf(query);
  if (session === undefined) return undefined;
  await session.exited;
  const { unansweredCount } = session.controller.messages;
  return { result: session.lastResult, unansweredCount };
}
