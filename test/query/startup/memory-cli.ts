import { vi } from 'vitest';
import type { SDKMessage } from '../../../src/index.js';
import type { TransportLike } from '../../../src/transport/pull-adapter.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { resultFrame } from '../../helpers/cli-frames.js';
import { settled } from '../memory-session.js';

/** What the CLI answers to a control request: this, an error text, or nothing. */
export type Reply = JsonObject | string | 'silence';

export const SILENCE: Reply = 'silence';

/** A CLI in this process, behind the public `transport` option: no child, so time can be a test's own. */
export class MemoryCli implements TransportLike {
  /** Every frame as it was written. */
  readonly frames: JsonObject[] = [];
  isInputEnded = false;
  isClosed = false;
  /** Whether it leaves when its input ends. */
  exitsOnEof = true;
  /** Whether a user message gets a result at once. */
  answersPrompts = true;
  readonly #replies: Readonly<Record<string, Reply>>;
  readonly #out: unknown[] = [];
  #more = createDeferred<void>();
  #isGone = false;
  #failure: Error | undefined;

  /** @param replies - By subtype. Others get an empty answer. */
  constructor(replies: Readonly<Record<string, Reply>> = {}) {
    this.#replies = replies;
  }

  /** What was written, in words: the subtype of a control request, the type of anything else. */
  get written(): readonly unknown[] {
    return this.frames.map((frame) => requestOf(frame)?.subtype ?? frame.type);
  }

  /** The payload of the request of that subtype. */
  payload(subtype: string): JsonObject {
    const found = this.frames.map(requestOf).find((request) => request?.subtype === subtype);
    if (found === undefined) throw new Error(`No ${subtype} was written`);
    return found;
  }

  emit(frame: unknown): void {
    this.#out.push(frame);
    this.#wake();
  }

  /** Answers a request that was left without an answer. */
  answer(subtype: string, reply: Reply): void {
    const frame = this.frames.find((sent) => requestOf(sent)?.subtype === subtype);
    if (frame === undefined) throw new Error(`No ${subtype} was written`);
    this.#reply(frame, reply);
  }

  exit(failure?: Error): void {
    this.#isGone = true;
    this.#failure = failure;
    this.#wake();
  }

  write(data: string): void {
    const frame = JSON.parse(data) as JsonObject;
    this.frames.push(frame);
    const subtype = requestOf(frame)?.subtype;
    if (subtype !== undefined) this.#reply(frame, this.#replies[String(subtype)] ?? {});
    else if (frame.type === 'user' && this.answersPrompts) this.emit(resultFrame());
  }

  async *readMessages(): AsyncGenerator<unknown, void> {
    for (;;) {
      yield* this.#out.splice(0);
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isGone) return;
      if (this.#out.length === 0) await this.#more.promise;
      this.#more = createDeferred();
    }
  }

  endInput(): void {
    this.isInputEnded = true;
    if (this.exitsOnEof) this.exit();
  }

  isReady(): boolean {
    return !this.#isGone;
  }

  close(): void {
    this.isClosed = true;
    this.exit();
  }

  #reply(frame: JsonObject, reply: Reply): void {
    if (reply === SILENCE) return;
    const { request_id } = frame;
    const response =
      typeof reply === 'string'
        ? { subtype: 'error', request_id, error: reply }
        : { subtype: 'success', request_id, response: reply };
    this.emit({ type: 'control_response', response });
  }

  #wake(): void {
    this.#more.resolve();
  }
}

/** Fake time passes, and what follows from it happens. */
export async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

/** The types of the messages, then `end` or the error. */
export async function drain(run: AsyncIterable<SDKMessage>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const message of run) seen.push(message.type);
  } catch (error) {
    return [...seen, error];
  }
  return [...seen, 'end'];
}

/** What it rejects with; fails when it does not. */
export async function rejection(what: Promise<unknown>): Promise<Error> {
  const outcome = await what.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('It did not reject');
  return outcome;
}

function requestOf(frame: JsonObject): JsonObject | undefined {
  const { request } = frame;
  return frame.type === 'control_request' && isJsonObject(request) ? request : undefined;
}
