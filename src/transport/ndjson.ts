import type { DiagnosticListener } from '../diagnostics.js';
import { FrameTooLargeError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { LineDecoder } from './line-decoder.js';

const EXCERPT_UNITS = 100;

/** Receives what an {@link NdjsonReader} reads. */
export interface FrameSink {
  /** Once per frame, in order. `bytes` is the length of its line without the terminator. */
  onFrame(frame: JsonObject, bytes: number): void;
  readonly onDiagnostic: DiagnosticListener;
  /** At most once: a line was too long, and nothing more will be read. Frames before it were delivered. */
  onError(error: FrameTooLargeError): void;
}

/**
 * Reads newline-delimited JSON: bytes in, frames out. Pure.
 *
 * Blank lines are ignored. What is not a JSON object is skipped and reported: a warning that some
 * library printed on stdout must not end a session.
 */
export class NdjsonReader {
  readonly #sink: FrameSink;
  readonly #decoder: LineDecoder;

  /** @param maxBufferBytes - Bounds one line. */
  constructor(sink: FrameSink, maxBufferBytes: number) {
    this.#sink = sink;
    this.#decoder = new LineDecoder(
      {
        onLine: (text, bytes) => this.#onLine(text, bytes),
        onOverflow: (excerpt) => sink.onError(new FrameTooLargeError(maxBufferBytes, excerpt)),
      },
      maxBufferBytes,
    );
  }

  /** The chunk's memory may be reused as soon as this has returned. */
  push(chunk: Buffer): void {
    this.#decoder.push(chunk);
  }

  /** The stream ended: an unfinished last line is read as if it were finished. */
  end(): void {
    const rest = this.#decoder.end();
    if (rest === undefined || isBlank(rest.text)) return;
    let value: unknown;
    try {
      value = JSON.parse(rest.text);
    } catch {
      this.#sink.onDiagnostic({
        code: 'line_incomplete',
        message: 'The output ended in the middle of a line',
        details: { bytes: rest.bytes, excerpt: rest.text.slice(0, EXCERPT_UNITS) },
      });
      return;
    }
    this.#deliver(value, rest.bytes);
  }

  /** From now on nothing is parsed or reported, also not the rest of the chunk at hand. */
  stop(): void {
    this.#decoder.stop();
  }

  #onLine(text: string, bytes: number): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      if (isBlank(text)) return;
      this.#sink.onDiagnostic({
        code: 'line_not_json',
        message: 'Skipped a line of output that is not JSON',
        details: { bytes, excerpt: text.slice(0, EXCERPT_UNITS) },
      });
      return;
    }
    this.#deliver(value, bytes);
  }

  #deliver(value: unknown, bytes: number): void {
    if (isJsonObject(value)) {
      this.#sink.onFrame(value, bytes);
      return;
    }
    this.#sink.onDiagnostic({
      code: 'line_not_object',
      message: `Skipped a line of output that is not a JSON object: ${describeValue(value)}`,
      details: { bytes },
    });
  }
}

/**
 * One frame as one line, newline included.
 *
 * @throws TypeError the frame cannot become JSON (a cycle, a BigInt, a `toJSON` that returns nothing).
 */
export function encodeFrame(frame: object): string {
  const text: string | undefined = JSON.stringify(frame);
  if (text === undefined) {
    throw new TypeError(`A frame must serialise to JSON, got ${describeValue(frame)}`);
  }
  return `${text}\n`;
}

/** Only what JSON itself calls white space: a line of byte order marks is garbage to be reported. */
function isBlank(text: string): boolean {
  return !/[^ \t\r]/.test(text);
}
