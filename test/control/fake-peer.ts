import { CLIConnectionError } from '../../src/errors.js';
import type { FrameReceiver, FrameTransport, TransportEnd } from '../../src/transport/transport.js';
import type { JsonObject } from '../../src/util/json.js';
import { WrittenFrames } from '../helpers/written-frames.js';

/** A peer without a process: keeps what was written, and says what a test tells it to. */
export class FakePeer implements FrameTransport {
  /** Every frame written, as it would look after the pipe. */
  readonly received: JsonObject[] = [];
  isInputEnded = false;
  /** What `send` returns. */
  hasRoom = true;
  /** Called for each frame written, at once. */
  onReceived: ((frame: JsonObject) => void) | undefined;
  #receiver: FrameReceiver | undefined;
  #hasEnded = false;
  readonly #written = new WrittenFrames();

  open(receiver: FrameReceiver): void {
    this.#receiver = receiver;
  }

  get isWritable(): boolean {
    return this.#receiver !== undefined && !this.isInputEnded && !this.#hasEnded;
  }

  send(frame: object): boolean {
    if (!this.isWritable) throw new CLIConnectionError('Claude Code is gone');
    const copy = JSON.parse(JSON.stringify(frame)) as JsonObject;
    this.#written.wrote(copy);
    this.received.push(copy);
    this.onReceived?.(copy);
    return this.hasRoom;
  }

  async drained(): Promise<void> {}

  endInput(): void {
    this.isInputEnded = true;
  }

  pause(): void {}
  resume(): void {}
  discard(): void {}
  async close(): Promise<void> {}

  /** Says something. */
  emit(...frames: JsonObject[]): void {
    for (const frame of frames) {
      this.#written.asked(frame);
      const line = JSON.stringify(frame);
      this.#receiver?.onFrame(frame, line.length, line);
    }
  }

  end(end: TransportEnd = { exit: { exitCode: 0, signal: null, stderrTail: '' } }): void {
    this.#hasEnded = true;
    this.#receiver?.onEnd(end);
  }

  /** Frames written of one `type`, or one control request subtype. */
  of(kind: string): JsonObject[] {
    return this.received.filter((frame) => frame.type === kind || (frame.request as JsonObject)?.subtype === kind);
  }

  /** The inner objects of all answers written, by request id. */
  answersTo(requestId: string): JsonObject[] {
    return this.of('control_response')
      .map((frame) => frame.response as JsonObject)
      .filter((response) => response.request_id === requestId);
  }

  /** Answers the last request of a subtype with a success. */
  succeed(subtype: string, response?: unknown, beside: JsonObject = {}): void {
    const requestId = this.of(subtype).at(-1)?.request_id;
    this.emit({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: requestId,
        ...(response === undefined ? {} : { response }),
        ...beside,
      },
    });
  }

  /** Answers the last request of a subtype with an error. */
  fail(subtype: string, error: string | undefined, beside: JsonObject = {}): void {
    const requestId = this.of(subtype).at(-1)?.request_id;
    this.emit({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error, ...beside } });
  }

  /** Asks the host. */
  ask(requestId: string, subtype: string, fields: JsonObject = {}): void {
    this.emit({ type: 'control_request', request_id: requestId, request: { subtype, ...fields } });
  }

  cancel(requestId: string): void {
    this.emit({ type: 'control_cancel_request', request_id: requestId });
  }
}
