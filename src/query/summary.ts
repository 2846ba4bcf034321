import { invalidArgument } from '../errors/invalid-option.js';
import type { SDKMessage } from '../parser/message.js';
import type { JsonObject } from '../util/json.js';
import { within } from '../util/race.js';
import { SessionQuery } from './query.js';
import type { QuerySession } from './query-session.js';
import { RunReader } from './summary/run-reader.js';
import type { RunSummary } from './summary/summary-types.js';
import { TextPieces } from './summary/text-pieces.js';

export type { RunSummary } from './summary/summary-types.js';

/** For the last words of a process that is known to be gone. Milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * The text of a run as it comes: deltas with `includePartialMessages`, else whole text blocks. The main thread's
 * alone, without thinking and
 * tool calls. Nothing is put between the texts of two messages.
 *
 * Takes the messages of the run: read them here or in a loop of your own, not in both. Leaving the loop ends the
 * run, as leaving a loop over
 * the run does, and the loop throws what that loop throws.
 *
 * @param run - A `Query`, or any iterable of messages, such as `client.receiveResponse()`.
 *
 * @example
 * const run = query({ prompt: 'Say hello.', options: { includePartialMessages: true } });
 * for await (const text of textOf(run)) process.stdout.write(text);
 * const { outcome, costUsd } = await summaryOf(run);
 */
export function textOf(run: AsyncIterable<SDKMessage>): AsyncGenerator<string, void> {
  requireMessages(run, 'textOf');
  return SessionQuery.sessionOf(run) === undefined ? RunReader.of(run).text() : textIn(run);
}

/**
 * What a run came to: outcome, answer, and the usage and cost of this run alone. Also of one that was aborted,
 * left, closed, or that crashed.
 *
 * Never rejects because of the run: what the run failed with is in `error`, and in `outcome`. Resolves when the
 * run is over. Call it when you like, before or
 * after the messages are read.
 *
 * Of a `Query` it takes no message: any loop over it sees all of them. Other iterables are read to their end,
 * unless `textOf` reads them.
 *
 * @param run - A `Query`, or any iterable of messages. Of `client.receiveResponse()` it is the summary of that
 * response.
 *
 * @example
 * const { outcome, text, usage, costUsd } = await summaryOf(query({ prompt: 'Say hello.' }));
 */
export async function summaryOf<T = unknown>(
  run: AsyncIterable<SDKMessage>,
): Promise<RunSummary<T>> {
  requireMessages(run, 'summaryOf');
  const session = SessionQuery.sessionOf(run);
  if (session !== undefined) return summaryOfSession<T>(session);
  const reader = RunReader.of(run);
  return reader.tally.summary<T>(await reader.over());
}

function requireMessages(run: unknown, name: string): void {
  if (typeof run === 'object' && run !== null && Symbol.asyncIterator in run) return;
  throw invalidArgument(
    'run',
    `${name}() takes a Query or another async iterable of messages`,
    run,
    'Pass what query() returned.',
  );
}

async function* textIn(run: AsyncIterable<SDKMessage>): AsyncGenerator<string, void> {
  const pieces = new TextPieces();
  for await (const message of run) yield* pieces.in(message as unknown as JsonObject);
}

async function summaryOfSession<T>(session: QuerySession): Promise<RunSummary<T>> {
  const end = await session.over;
  await Promise.race([session.exited, lastWords(session).catch(() => {})]);
  return session.tally.summary<T>(end);
}

/** Resolves when a process that was ended must have been heard to its end. */
async function lastWords(session: QuerySession): Promise<void> {
  await session.ended();
  await within(LAST_WORDS_MS, session.exited);
}
