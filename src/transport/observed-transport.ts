import type { JsonObject } from '../util/json.js';
import type { ExitLadder, FrameReceiver, FrameTransport, TransportEnd } from './transport.js';

/** Sees the frames of a transport. Must not throw or change them. */
export interface TransportObserver {
  onOpen(): void;
  /** A frame from the peer, before its receiver gets it. */
  onFrameIn(frame: JsonObject, bytes: number): void;
  /** A frame that was queued for the peer. */
  onFrameOut(frame: object): void;
  onInputEnd(): void;
  onClose(ladder: ExitLadder | undefined): void;
  onEnd(end: TransportEnd): void;
}

/** Wraps a transport so that `observer` sees its frames. Runs without an observer are not wrapped and pay nothing. */
export function observeTransport(transport: FrameTransport, observer: TransportObserver): FrameTransport {
  return new ObservedTransport(transport, observer);
}

class ObservedTransport implements FrameTransport {
  readonly #inner: FrameTransport;
  readonly #observer: TransportObserver;
  #isInputEnded = false;
  #hasEnded = false;

  constructor(inner: FrameTransport, observer: TransportObserver) {
    this.#inner = inner;
    this.#observer = observer;
  }

  get isWritable(): boolean {
    return this.#inner.isWritable;
  }

  open(receiver: FrameReceiver): void {
    this.#observer.onOpen();
    this.#inner.open({
      onFrame: (frame, bytes, line) => {
        this.#observer.onFrameIn(frame, bytes);
        receiver.onFrame(frame, bytes, line);
      },
      onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
      onEnd: (end) => {
        this.#hasEnded = true;
        this.#observer.onEnd(end);
        receiver.onEnd(end);
      },
    });
  }

  send(frame: object): boolean {
    const hasRoom = this.#inner.send(frame);
    this.#observer.onFrameOut(frame);
    return hasRoom;
  }

  drained(): Promise<void> {
    return this.#inner.drained();
  }

  endInput(): void {
    if (!this.#isInputEnded) this.#observer.onInputEnd();
    this.#isInputEnded = true;
    this.#inner.endInput();
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  discard(): void {
    this.#inner.discard();
  }

  close(ladder?: ExitLadder): Promise<void> {
    // After the end of the peer, `close` only waits for the ladder.
    if (!this.#hasEnded) this.#observer.onClose(ladder);
    return this.#inner.close(ladder);
  }
}
