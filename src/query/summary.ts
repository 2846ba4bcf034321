import { invalidArgument } from '../errors/usage-errors.js';
import type { SDKMessage } from '../parser/message.js';
import { type RunSummary, RunTally, type TallyEnd } from '../parser/run-summary.js';
import { TextPieces } from '../parser/text-pieces.js';
import { createDeferred } from '../util/deferred.js';
import { SessionQuery } from './query.js';
import { summaryOfSession } from './session-summary.js';

export type { RunSummary } from '../parser/run-summary.js';

/**
 * The text of a run as it comes: deltas with `includePartialMessages`, else whole text blocks. Of the main thread only,
 * without thinking and tool calls. Nothing is put between the texts of two messages. Consumes the messages of the run:
 * read them here or in a loop of your own, not in both. Leaving the loop ends the run, and the loop throws what a loop
 * over the run throws.
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
 * Outcome, answer, usage and cost of this run alone, also when it was aborted, left or closed, or crashed. Never
 * rejects because of the run: `error` and `outcome` say what failed. Resolves when the run is over. Call it before or
 * after the messages are read. Of a `Query` it takes no message: any loop over it sees all of them. Other iterables are
 * read to their end, unless `textOf` reads them.
 * @param run - A `Query`, or any iterable of messages. Of `client.receiveResponse()` it is the summary of that
 * response.
 *
 * @example
 * const { outcome, text, usage, costUsd } = await summaryOf(query({ prompt: 'Say hello.' }));
 */
export async function summaryOf<T = unknown>(run: AsyncIterable<SDKMessage>): Promise<RunSummary<T>> {
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
  for await (const message of run) yield* pieces.in(message);
}

/** UTF-16 units of text that are kept for a loop that has not begun. */
const MAX_WAITING_UNITS = 16 * 1024 * 1024;

/** Reads other iterables than a `Query`, such as `client.receiveResponse()`: once, for the text and for the summary. */
class RunReader {
  static readonly #readers = new WeakMap<object, RunReader>();

  // What was used before is not known.
  readonly tally = new RunTally({ resumed: true });
  readonly #messages: AsyncIterator<SDKMessage>;
  readonly #beganAt = performance.now();
  readonly #over = createDeferred<TallyEnd>();
  #waiting: string[] = [];
  #waitingUnits = 0;
  #pull: Promise<void> | undefined;
  #isTextRead = false;
  #isOver = false;
  #error: unknown;

  private constructor(messages: AsyncIterable<SDKMessage>) {
    this.#messages = messages[Symbol.asyncIterator]();
  }

  static of(messages: AsyncIterable<SDKMessage>): RunReader {
    const reader = RunReader.#readers.get(messages) ?? new RunReader(messages);
    RunReader.#readers.set(messages, reader);
    return reader;
  }

  /** Resolves when the messages are over. Reads them, unless somebody reads the text. Never rejects. */
  async over(): Promise<TallyEnd> {
    while (!this.#isOver && !this.#isTextRead) await this.#next();
    return this.#over.promise;
  }

  async *text(): AsyncGenerator<string, void> {
    this.#isTextRead = true;
    try {
      for (;;) {
        const pieces = this.#waiting;
        this.#waiting = [];
        this.#waitingUnits = 0;
        yield* pieces;
        if (this.#waiting.length > 0) continue;
        if (this.#isOver) break;
        await this.#next();
      }
      if (this.#error !== undefined) throw this.#error;
    } finally {
      if (!this.#isOver) {
        this.#end(undefined, true);
        await this.#messages.return?.();
      }
    }
  }

  /** Takes one message, whoever asks for it. */
  #next(): Promise<void> {
    this.#pull ??= this.#take().finally(() => {
      this.#pull = undefined;
    });
    return this.#pull;
  }

  async #take(): Promise<void> {
    try {
      const step = await this.#messages.next();
      if (step.done === true) this.#end(undefined, false);
      else this.#keep(this.tally.note(step.value));
    } catch (error) {
      this.#end(error, false);
    }
  }

  #keep(pieces: readonly string[]): void {
    this.#waiting.push(...pieces);
    for (const piece of pieces) this.#waitingUnits += piece.length;
    if (this.#isTextRead) return;
    while (this.#waitingUnits > MAX_WAITING_UNITS) {
      this.#waitingUnits -= this.#waiting.shift()?.length ?? this.#waitingUnits;
    }
  }

  #end(error: unknown, isClosed: boolean): void {
    this.#isOver = true;
    this.#error = error;
    this.#over.resolve({ error, isClosed, durationMs: performance.now() - this.#beganAt });
  }
}
