import type { SDKMessage } from '../../parser/message.js';
import { createDeferred } from '../../util/deferred.js';
import type { JsonObject } from '../../util/json.js';
import { RunTally, type TallyEnd } from './run-tally.js';

/** UTF-16 units of text that are kept for a loop that has not begun. */
const MAX_WAITING_UNITS = 16 * 1024 * 1024;

/**
 * Reads messages that do not come from a `Query` of this package, such as those of `client.receiveResponse()`:
 * once, for the text and
 * for the summary.
 */
export class RunReader {
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
      else this.#keep(this.tally.note(step.value as unknown as JsonObject));
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
