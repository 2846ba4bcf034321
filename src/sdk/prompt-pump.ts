import { PromptError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** Where user messages go. */
export interface PromptSink {
  /** @returns false when the pipe is full. */
  sendUserMessage(frame: object): boolean;
  /** Resolves when the pipe takes more, or never will. */
  drained(): Promise<void>;
}

export type PromptItems = AsyncIterable<unknown> | Iterable<unknown>;

/** The user frame of a string prompt (TS-081, PY-149). */
export function userFrame(text: string, sessionId = ''): JsonObject {
  return {
    type: 'user',
    session_id: sessionId,
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  };
}

/**
 * Moves one caller's iterable into the pipe, no faster than the CLI reads, and calls `return()` on
 * it when it is stopped before its end.
 */
export class PromptPump {
  readonly #sink: PromptSink;
  readonly #transform: (frame: JsonObject) => JsonObject;
  readonly #onReturnFailed: (error: unknown) => void;
  #iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined;
  #isStopped = false;

  constructor(
    sink: PromptSink,
    options: {
      readonly transform: (frame: JsonObject) => JsonObject;
      /** The caller's `return()` threw or rejected while the pump was being stopped. */
      readonly onReturnFailed: (error: unknown) => void;
    },
  ) {
    this.#sink = sink;
    this.#transform = options.transform;
    this.#onReturnFailed = options.onReturnFailed;
  }

  /**
   * Resolves when the iterable is exhausted or the pump was stopped.
   * @throws PromptError the iterable threw, or yielded something that is not an object.
   */
  async run(items: PromptItems): Promise<void> {
    // The iterable may have been handed over after the session had ended.
    if (this.#isStopped) return;
    let index = 0;
    const iterator = openIterator(items);
    this.#iterator = iterator;
    while (!this.#isStopped) {
      const step = await pull(iterator);
      if (step.done === true || this.#isStopped) break;
      const frame = step.value;
      if (!isJsonObject(frame)) {
        const error = new PromptError(
          `Prompt item ${index} must be a message object such as {type: 'user', message: {...}}, got ${describeValue(frame)}`,
        );
        this.stop();
        throw error;
      }
      index += 1;
      if (!this.#write(frame, index - 1)) await this.#sink.drained();
    }
    this.#iterator = undefined;
  }

  /** Takes nothing more. Calls `return()` on an iterable that has not ended; does not wait for it. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const iterator = this.#iterator;
    this.#iterator = undefined;
    if (iterator?.return === undefined) return;
    try {
      Promise.resolve(iterator.return()).catch(this.#onReturnFailed);
    } catch (error) {
      this.#onReturnFailed(error);
    }
  }

  #write(frame: JsonObject, index: number): boolean {
    try {
      return this.#sink.sendUserMessage(this.#transform(frame));
    } catch (error) {
      this.stop();
      if (error instanceof TypeError) {
        throw new PromptError(`Prompt item ${index} cannot become JSON: ${error.message}`, {
          cause: error,
        });
      }
      throw error;
    }
  }
}

function openIterator(items: PromptItems): AsyncIterator<unknown> | Iterator<unknown> {
  try {
    return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  } catch (error) {
    throw promptThrew(error);
  }
}

async function pull(
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
): Promise<IteratorResult<unknown>> {
  try {
    return await iterator.next();
  } catch (error) {
    throw promptThrew(error);
  }
}

function promptThrew(error: unknown): PromptError {
  const text = error instanceof Error ? error.message : String(error);
  return new PromptError(`The prompt iterable threw: ${text}`, { cause: error });
}
