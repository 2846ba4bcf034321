import { InvalidOptionError, isClaudeSDKError, PromptError } from '../errors.js';
import { createDeferred } from '../util/deferred.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
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

interface PumpOptions {
  readonly transform: (frame: JsonObject) => JsonObject;
  /** The caller's `return()` threw or rejected while the pump was being stopped. */
  readonly onReturnFailed: (error: unknown) => void;
}

/**
 * Moves one caller's iterable into the pipe, no faster than the CLI reads, and calls `return()` on it when it is
 * stopped before its end.
 */
export class PromptPump {
  readonly #sink: PromptSink;
  readonly #options: PumpOptions;
  readonly #stopped = createDeferred<void>();
  #iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined;
  #isStopped = false;

  constructor(sink: PromptSink, options: PumpOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /**
   * Resolves when the iterable is exhausted, or when the pump is stopped: a caller's iterable that waits for something,
   * such as a keyboard, must not hold anybody then.
   * @throws PromptError the iterable threw, or yielded something that is not an object or cannot become JSON.
   * @throws CLIConnectionError the input is over.
   */
  async run(items: PromptItems): Promise<void> {
    // The iterable may have been handed over after the session had ended.
    if (this.#isStopped) return;
    try {
      await Promise.race([this.#pump(items), this.#stopped.promise]);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  /** Takes nothing more. Calls `return()` on an iterable that has not ended; does not wait for it. Never throws. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const iterator = this.#iterator;
    this.#iterator = undefined;
    try {
      Promise.resolve(iterator?.return?.()).catch(this.#options.onReturnFailed);
    } catch (error) {
      this.#options.onReturnFailed(error);
    }
    this.#stopped.resolve();
  }

  async #pump(items: PromptItems): Promise<void> {
    const iterator = openIterator(items);
    this.#iterator = iterator;
    for (let index = 0; !this.#isStopped; index += 1) {
      const step = await this.#pull(iterator);
      if (step === undefined || this.#isStopped) break;
      if (!this.#write(step.value, index)) await this.#sink.drained();
    }
    this.#iterator = undefined;
  }

  /** The next item, or `undefined` at the end. */
  async #pull(iterator: AsyncIterator<unknown> | Iterator<unknown>): Promise<{ readonly value: unknown } | undefined> {
    try {
      const { done, value } = await iterator.next();
      return done === true ? undefined : { value };
    } catch (error) {
      // One that has thrown is over, and is not returned.
      this.#iterator = undefined;
      throw promptThrew(error);
    }
  }

  #write(item: unknown, index: number): boolean {
    try {
      if (!isJsonObject(item)) throw notAMessage(item, index);
      return this.#sink.sendUserMessage(this.#options.transform(item));
    } catch (error) {
      throw isClaudeSDKError(error) ? error : notJson(`Prompt item ${index}`, error);
    }
  }
}

/** What cannot be written: a cycle, a BigInt, a `toJSON` that throws, a text longer than a string can be. */
export function notJson(what: string, error: unknown): PromptError {
  return new PromptError(`${what} cannot become JSON: ${errorText(error)}`, { cause: error });
}

function notAMessage(item: unknown, index: number): PromptError {
  return new PromptError(
    `Prompt item ${index} must be a message object such as {type: 'user', message: {...}}, got ${describeValue(item)}`,
  );
}

function openIterator(items: PromptItems): AsyncIterator<unknown> | Iterator<unknown> {
  try {
    return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  } catch (error) {
    throw promptThrew(error);
  }
}

function promptThrew(error: unknown): PromptError {
  return new PromptError(`The prompt iterable threw: ${errorText(error)}`, { cause: error });
}

/**
 * A prompt is a string, an iterable of user messages, or (unless it is for `query()`) nothing yet.
 * @throws InvalidOptionError anything else, which would otherwise hang for ever or be ignored.
 */
export function assertPrompt(
  prompt: unknown,
  front: 'query' | 'client' | 'warm',
): asserts prompt is string | PromptItems | undefined {
  if (typeof prompt === 'string' || (prompt === undefined && front !== 'query')) return;
  const isIterable =
    typeof prompt === 'object' && prompt !== null && (Symbol.asyncIterator in prompt || Symbol.iterator in prompt);
  if (isIterable) return;
  throw new InvalidOptionError(
    'prompt',
    `\`prompt\` must be a string or an iterable of user messages, got ${describeValue(prompt)}`,
  );
}
