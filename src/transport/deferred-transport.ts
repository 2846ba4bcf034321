import { CLIConnectionError } from '../errors.js';
import { createDeferred } from '../util/deferred.js';
import { errorText } from '../util/error-text.js';
import { inMicrotask } from '../util/next-turn.js';
import { NOT_READY } from './frame-writer.js';
import { launchFailure } from './launch-error.js';
import { encodeFrame } from './ndjson.js';
import type { ExitLadder, FrameReceiver, FrameTransport, TransportEnd } from './transport.js';

/** With more text waiting than this, the sender is told to wait, as by a pipe. UTF-16 units. */
const FULL_UNITS = 64 * 1024;

/**
 * Makes the real transport. When the signal aborts, the transport is no longer wanted: undo what was made for it and
 * reject soon.
 */
export type PrepareTransport = (signal: AbortSignal) => Promise<FrameTransport>;

/**
 * A transport whose peer takes time to start. `open` begins to prepare it. Frames sent meanwhile wait, with the
 * back-pressure of a pipe. After an early `close` nothing is started.
 */
export class DeferredTransport implements FrameTransport {
  /** Resolves when the peer has started, or never will. */
  readonly started: Promise<void>;
  readonly #prepare: PrepareTransport;
  readonly #started = createDeferred<void>();
  readonly #gone = createDeferred<void>();
  readonly #cancel = new AbortController();
  #state: 'new' | 'preparing' | 'running' | 'ended' = 'new';
  #inner: FrameTransport | undefined;
  #receiver: FrameReceiver | undefined;
  #waiting: object[] = [];
  #waitingUnits = 0;
  #isInputEnded = false;
  #isPaused = false;
  #isDiscarding = false;

  constructor(prepare: PrepareTransport) {
    this.#prepare = prepare;
    this.started = this.#started.promise;
  }

  get pid(): number | undefined {
    return this.#inner?.pid;
  }

  get isWritable(): boolean {
    if (this.#inner !== undefined) return this.#inner.isWritable;
    return this.#state === 'preparing' && !this.#isInputEnded;
  }

  open(receiver: FrameReceiver): void {
    if (this.#receiver !== undefined) throw new CLIConnectionError('The transport was opened before');
    this.#receiver = receiver;
    if (this.#state === 'ended') {
      inMicrotask(() => receiver.onEnd({}));
      return;
    }
    this.#state = 'preparing';
    // After `open` has returned: an error of `prepare` must not come earlier.
    inMicrotask(() => void this.#run(receiver));
  }

  send(frame: object): boolean {
    if (this.#inner !== undefined) return this.#inner.send(frame);
    if (!this.isWritable) throw new CLIConnectionError(NOT_READY);
    // Serialised now, as for a pipe: bad frames fail here, and later changes to the object have no effect.
    const text = encodeFrame(frame);
    this.#waiting.push(JSON.parse(text));
    this.#waitingUnits += text.length;
    return !this.#isFull();
  }

  async drained(): Promise<void> {
    if (this.#state === 'preparing' && this.#isFull()) await this.started;
    await this.#inner?.drained();
  }

  endInput(): void {
    this.#isInputEnded = true;
    this.#inner?.endInput();
  }

  pause(): void {
    this.#isPaused = !this.#isDiscarding;
    this.#inner?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#inner?.resume();
  }

  /** Before the start there is nothing to skip: who calls this ends the session. */
  skipLines(start: string): void {
    this.#inner?.skipLines?.(start);
  }

  discard(): void {
    this.#isDiscarding = true;
    this.#isPaused = false;
    this.#inner?.discard();
  }

  close(ladder?: ExitLadder): Promise<void> {
    if (this.#inner !== undefined) return this.#inner.close(ladder);
    if (this.#state === 'new') {
      this.#state = 'ended';
      this.#started.resolve();
    }
    if (this.#state === 'ended') return Promise.resolve();
    this.#isInputEnded = true;
    this.#cancel.abort();
    return this.#gone.promise;
  }

  async #run(receiver: FrameReceiver): Promise<void> {
    const { signal } = this.#cancel;
    let inner: FrameTransport | undefined;
    try {
      if (!signal.aborted) inner = await this.#prepare(signal);
    } catch (error) {
      // An error after `close` is a consequence of it.
      this.#finish(signal.aborted ? {} : { error: toError(error) });
      return;
    }
    if (inner !== undefined && !signal.aborted) {
      this.#start(inner, receiver);
      return;
    }
    // It was never opened, so this only cleans up.
    await inner?.close();
    this.#finish({});
  }

  #start(inner: FrameTransport, receiver: FrameReceiver): void {
    try {
      inner.open({
        onFrame: receiver.onFrame.bind(receiver),
        onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
        isWaiting: () => receiver.isWaiting?.() === true,
        onEnd: (end) => this.#finish(end),
      });
    } catch (error) {
      // Only `spawnClaudeCodeProcess` of the application throws here.
      this.#finish({ error: toError(error) });
      return;
    }
    this.#inner = inner;
    this.#state = 'running';
    if (this.#isDiscarding) inner.discard();
    else if (this.#isPaused) inner.pause();
    for (const frame of this.#takeWaiting()) {
      // The peer may be gone by now; its end says so.
      if (inner.isWritable) inner.send(frame);
    }
    if (this.#isInputEnded) inner.endInput();
    this.#started.resolve();
  }

  #finish(end: TransportEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#isInputEnded = true;
    this.#takeWaiting();
    this.#started.resolve();
    this.#receiver?.onEnd(end);
    this.#gone.resolve();
  }

  #takeWaiting(): object[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingUnits = 0;
    return waiting;
  }

  #isFull(): boolean {
    return this.#waitingUnits > FULL_UNITS;
  }
}

/** Errors keep their type, as without a deferred start. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : launchFailure(errorText(thrown), { cause: thrown });
}
