import type { JsonObject } from '../util/json.js';
import type { ExitLadder, FrameReceiver, FrameTransport, TransportEnd } from './transport.js';

/** Sees the frames of a transport. Must not throw or change them. */
export interface TransportObserver {
  onOpen(): void;
  /** The peer was asked to start, or has. */
  onOpened?(): void;
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
  let isInputEnded = false;
  let hasEnded = false;

  const observed = (receiver: FrameReceiver): FrameReceiver => ({
    onFrame: (frame, bytes, line) => {
      observer.onFrameIn(frame, bytes);
      receiver.onFrame(frame, bytes, line);
    },
    onDiagnostic: (diagnostic) => receiver.onDiagnostic(diagnostic),
    isWaiting: () => receiver.isWaiting?.() === true,
    onEnd: (end) => {
      hasEnded = true;
      observer.onEnd(end);
      receiver.onEnd(end);
    },
  });

  return {
    get pid() {
      return transport.pid;
    },
    get isWritable() {
      return transport.isWritable;
    },
    open: (receiver) => {
      observer.onOpen();
      transport.open(observed(receiver));
      observer.onOpened?.();
    },
    send: (frame) => {
      const hasRoom = transport.send(frame);
      observer.onFrameOut(frame);
      return hasRoom;
    },
    flush: () => transport.flush?.(),
    drained: () => transport.drained(),
    endInput: () => {
      if (!isInputEnded) observer.onInputEnd();
      isInputEnded = true;
      transport.endInput();
    },
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    skipLines: (start) => transport.skipLines?.(start),
    discard: () => transport.discard(),
    close: (ladder) => {
      // After the end of the peer, `close` only waits for the ladder.
      if (!hasEnded) observer.onClose(ladder);
      return transport.close(ladder);
    },
  };
}
