import { CLIConnectionError, isClaudeSDKError } from '../errors.js';
import { createDeferred, type Deferred } from '../util/deferred.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, jsonTextOf } from '../util/json.js';
import { inMicrotask, inNextTurn } from '../util/next-turn.js';
import { encodeFrame } from './ndjson.js';
import { DEFAULT_EXIT_LADDER, REAP_MS } from './termination.js';
import type { ExitLadder, FrameReceiver, FrameTransport } from './transport.js';

/** With more text waiting than this, the sender is told to wait. UTF-16 units. */
const FULL_UNITS = 64 * 1024;
const MESSAGES_PER_TURN = 256;

/**
 * A connection to a Claude Code that runs somewhere else, implemented by an application. This is the interface of the
 * official SDK with less asked of its methods, plus `connect` of the Python SDK.
 */
export interface TransportLike {
  /** Opens the link, when it takes time. Called once, before anything else; writes wait for it. */
  connect?(): void | Promise<void>;
  /** One frame as one line, newline included. The next one waits until the promise settles. */
  write(data: string): void | Promise<void>;
  /** The peer's frames as parsed objects, until the peer ends. What it throws ends the session. */
  readMessages(): AsyncIterable<unknown>;
  /** The peer's input ends; reading goes on. */
  endInput(): void | Promise<void>;
  isReady(): boolean;
  /** Releases everything. `readMessages` should end soon after. */
  close(): void | Promise<void>;
  /** In the official interface, for transports of many clients. Never called: ids are told apart here. */
  expectControlResponse?(requestId: string): void;
  /** In the official interface, for transports that can replay. Never called. */
  markDelivered?(message: object): void;
  /** In the official interface. Never called: `readMessages` ends when the peer has gone. */
  waitForExit?(): Promise<void>;
  [Symbol.dispose]?(): void;
}

/** Makes a {@link FrameTransport} of an application's {@link TransportLike}, and contains what that throws. */
export function adaptTransport(transport: TransportLike): FrameTransport {
  return new PullAdapter(transport);
}

class PullAdapter implements FrameTransport {
  readonly #transport: TransportLike;
  readonly #writes: OrderedWrites;
  readonly #gone = createDeferred<void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #receiver: FrameReceiver | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #state: 'new' | 'connecting' | 'open' | 'ended' = 'new';
  #isInputEnded = false;
  #isDiscarding = false;
  #isClosing = false;
  #hasClosedTransport = false;
  /** Set while paused. */
  #resumed: Deferred<void> | undefined;
  #error: Error | undefined;

  constructor(transport: TransportLike) {
    this.#transport = transport;
    this.#writes = new OrderedWrites(
      (data) => transport.write(data),
      (cause) => this.#fail(new CLIConnectionError(`Failed to write: ${errorText(cause)}`, { cause })),
    );
  }

  get isWritable(): boolean {
    if (this.#isInputEnded) return false;
    // Frames sent while connecting wait.
    return this.#state === 'connecting' || (this.#state === 'open' && this.#isReady());
  }

  open(receiver: FrameReceiver): void {
    if (this.#receiver !== undefined) throw new CLIConnectionError('The transport was opened before');
    this.#receiver = receiver;
    if (this.#state === 'ended') {
      inMicrotask(() => receiver.onEnd({}));
      return;
    }
    this.#state = 'connecting';
    // After `open` has returned: an error of `connect` or `readMessages` must not come earlier.
    inMicrotask(() => void this.#run(receiver));
  }

  send(frame: object): boolean {
    if (!this.isWritable) throw new CLIConnectionError('The transport is not ready for writing');
    return this.#writes.push(encodeFrame(frame));
  }

  drained(): Promise<void> {
    return this.#writes.drained();
  }

  endInput(): void {
    if (this.#isInputEnded) return;
    this.#isInputEnded = true;
    if (this.#state === 'new') return;
    void this.#writes.idle().then(() => contain(() => this.#transport.endInput()));
  }

  pause(): void {
    if (!this.#isDiscarding && !this.#isClosing) this.#resumed ??= createDeferred();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  discard(): void {
    this.#isDiscarding = true;
    this.resume();
  }

  /** The first step of the ladder closes a link whose writes hang. After the last one the wait is over. */
  close(ladder: ExitLadder = DEFAULT_EXIT_LADDER): Promise<void> {
    if (this.#state === 'new') this.#state = 'ended';
    if (this.#state === 'ended') return Promise.resolve();
    this.#isClosing = true;
    this.endInput();
    this.resume();
    const { sigtermMs = 0, sigkillMs = 0 } = ladder;
    void this.#writes.idle().then(() => this.#closeTransport());
    this.#after(sigtermMs, () => this.#closeTransport());
    this.#after(Math.max(sigtermMs, sigkillMs) + REAP_MS, () => this.#finish());
    return this.#gone.promise;
  }

  async #run(receiver: FrameReceiver): Promise<void> {
    try {
      await this.#transport.connect?.();
      if (this.#state !== 'connecting') return;
      this.#state = 'open';
      this.#writes.start();
      await this.#read(receiver);
    } catch (error) {
      this.#fail(toTypedError(error));
    }
    this.#finish();
  }

  async #read(receiver: FrameReceiver): Promise<void> {
    const iterator = this.#transport.readMessages()[Symbol.asyncIterator]();
    this.#iterator = iterator;
    for (let count = 1; ; count += 1) {
      await this.#whilePaused();
      const step: unknown = await iterator.next();
      // As `for await` does: a broken iterator would be read for ever.
      if (!isJsonObject(step)) throw new TypeError(`next() must resolve to an object, got ${describeValue(step)}`);
      // The pause may have begun while waiting for the message.
      await this.#whilePaused();
      if (step.done === true || this.#isEnded()) return;
      if (!this.#isDiscarding) deliver(step.value, receiver);
      // Messages that are there at once would keep timers from running.
      if (count % MESSAGES_PER_TURN === 0) await new Promise<void>((resolve) => inNextTurn(resolve));
    }
  }

  async #whilePaused(): Promise<void> {
    while (this.#resumed !== undefined) await this.#resumed.promise;
  }

  /** An error after `close` is a consequence of it, and not reported. */
  #fail(error: Error): void {
    if (!this.#isClosing) this.#error ??= error;
    this.#finish();
  }

  #finish(): void {
    if (this.#isEnded()) return;
    this.#state = 'ended';
    this.#isInputEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#writes.stop();
    this.resume();
    void contain(() => this.#iterator?.return?.());
    this.#closeTransport();
    this.#receiver?.onEnd(this.#error === undefined ? {} : { error: this.#error });
    this.#gone.resolve();
  }

  #closeTransport(): void {
    if (this.#hasClosedTransport) return;
    this.#hasClosedTransport = true;
    void contain(() => this.#transport.close());
  }

  #isEnded(): boolean {
    return this.#state === 'ended';
  }

  #isReady(): boolean {
    try {
      return this.#transport.isReady();
    } catch {
      return false;
    }
  }

  #after(delayMs: number, action: () => void): void {
    this.#timers.push(setTimeout(action, delayMs).unref());
  }
}

function deliver(value: unknown, receiver: FrameReceiver): void {
  if (isJsonObject(value)) {
    // The line that the frame would have been.
    const line = jsonTextOf(value);
    receiver.onFrame(value, line === undefined ? 0 : Buffer.byteLength(line), line);
    return;
  }
  receiver.onDiagnostic({
    code: 'line_not_object',
    message: `Skipped a message that is not an object: ${describeValue(value)}`,
  });
}

/** Errors of this package stay as they are. Any other becomes the cause of one. */
function toTypedError(error: unknown): Error {
  if (isClaudeSDKError(error)) return error;
  return new CLIConnectionError(`The transport failed: ${errorText(error)}`, { cause: error });
}

/** Runs the application's code and ignores its errors, because the session is ending. */
async function contain(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch {
    // `onEnd` reports the end.
  }
}

/** Calls an asynchronous `write` once per text, in order, one at a time. */
export class OrderedWrites {
  readonly #write: (data: string) => void | Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #queue: string[] = [];
  #queuedUnits = 0;
  #state: 'held' | 'idle' | 'writing' | 'stopped' = 'held';
  #drained: Deferred<void> | undefined;
  #idle: Deferred<void> | undefined;

  /** @param onFailure - Called once, with the error of `write`. Nothing is written after it. */
  constructor(write: (data: string) => void | Promise<void>, onFailure: (error: unknown) => void) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** @returns false when much is waiting: await {@link drained}. */
  push(data: string): boolean {
    this.#queue.push(data);
    this.#queuedUnits += data.length;
    void this.#pump();
    return !this.#isFull();
  }

  /** Text that was pushed earlier is written now. */
  start(): void {
    if (this.#state !== 'held') return;
    this.#state = 'idle';
    void this.#pump();
  }

  /** Drops the waiting text and releases waiters. */
  stop(): void {
    this.#state = 'stopped';
    this.#queue = [];
    this.#queuedUnits = 0;
    this.#release();
  }

  drained(): Promise<void> {
    if (!this.#isFull()) return Promise.resolve();
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Resolves when everything is written, or the writing has stopped. */
  idle(): Promise<void> {
    if (this.#queue.length === 0 && this.#state !== 'writing') return Promise.resolve();
    this.#idle ??= createDeferred();
    return this.#idle.promise;
  }

  async #pump(): Promise<void> {
    if (this.#state !== 'idle') return;
    this.#state = 'writing';
    try {
      while (this.#queue.length > 0) {
        // Popped from a reversed list: shifting a long list takes quadratic time.
        const batch = this.#queue.reverse();
        this.#queue = [];
        for (let data = batch.pop(); data !== undefined; data = batch.pop()) {
          this.#queuedUnits -= data.length;
          const written = this.#write(data);
          // Synchronous writes happen in the tick of their `push`.
          if (written !== undefined) await written;
          if (this.#isStopped()) return;
          if (!this.#isFull()) this.#releaseDrained();
        }
      }
      this.#state = 'idle';
      this.#release();
    } catch (error) {
      this.stop();
      this.#onFailure(error);
    }
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #isFull(): boolean {
    return this.#queuedUnits > FULL_UNITS;
  }

  #release(): void {
    this.#releaseDrained();
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  #releaseDrained(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
