import type { RunSummary } from '../parser/run-summary.js';
import { within } from '../util/race.js';
import type { QuerySession } from './query-session.js';

/** For the last words of a process that is known to be gone. Milliseconds. */
const LAST_WORDS_MS = 1_000;

/** The summary of a run, when it is over and its process is gone, or its ladder is at the end. Never rejects. */
export async function summaryOfSession<T>(session: QuerySession): Promise<RunSummary<T>> {
  const end = await session.over;
  await Promise.race([session.exited, lastWords(session).catch(() => {})]);
  return session.tally.summary<T>(end);
}

/** Resolves when a process that was ended must have been heard to its end. */
async function lastWords(session: QuerySession): Promise<void> {
  await session.ended();
  await within(LAST_WORDS_MS, session.exited);
}
