import type { DiagnosticCode, DiagnosticListener } from '../diagnostics.js';
import { FrameTooLargeError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject, parseJson } from '../util/json.js';
import { findEmbeddedFrames } from './embedded-frames.js';
import { FrameRescue } from './frame-rescue.js';
import { LineDecoder } from './line-decoder.js';

/** How much of a line a diagnostic shows, in UTF-16 units. */
const EXCERPT_UNITS = 100;

/** The same for text around a frame: a person may have to find out who wrote it. */
const TEXT_UNITS = 1_000;

/** How many skipped lines are reported one by one. */
const SINGLE_REPORTS = 100;

/** Receives the frames of an {@link NdjsonReader}. */
export interface FrameSink {
  /** Once per frame, in order. `bytes` is the length of its line without the terminator, before decoding. */
  onFrame(frame: JsonObject, bytes: number, line: string): void;
  readonly onDiagnostic: DiagnosticListener;
  /** At most once: a line was too long, and reading stops. Earlier frames were delivered. */
  onError(error: FrameTooLargeError): void;
}

/**
 * Reads newline-delimited JSON: bytes in, frames out. Pure. Ignores blank lines. Skips and reports lines that are not
 * JSON objects: a warning that a library printed on stdout must not end a session. A frame that shares its line with
 * other text is taken once, unless the text seems to quote it, and the text reported.
 */
export class NdjsonReader {
  readonly #sink: FrameSink;
  readonly #decoder: LineDecoder;
  readonly #notJson: SkippedLines;
  readonly #notObject: SkippedLines;
  readonly #aroundFrames: SkippedLines;
  readonly #repeated: SkippedLines;
  readonly #rescue = new FrameRescue();
  #skippedStart: string | undefined;

  /** @param maxBufferBytes - The longest line. */
  constructor(sink: FrameSink, maxBufferBytes: number) {
    this.#sink = sink;
    this.#notJson = new SkippedLines('line_not_json', 'not JSON', sink.onDiagnostic);
    this.#notObject = new SkippedLines('line_not_object', 'not a JSON object', sink.onDiagnostic);
    this.#aroundFrames = new SkippedLines('text_around_frame', 'more than a frame', sink.onDiagnostic);
    this.#repeated = new SkippedLines('frame_repeated', 'a frame that shared its line before', sink.onDiagnostic);
    this.#decoder = new LineDecoder(
      {
        onLine: (text, bytes) => this.#onLine(text, bytes),
        onOverflow: (excerpt) => sink.onError(new FrameTooLargeError(maxBufferBytes, excerpt)),
      },
      maxBufferBytes,
    );
  }

  /** The memory of the chunk may be reused as soon as this has returned. */
  push(chunk: Buffer): void {
    this.#decoder.push(chunk);
  }

  /** The stream ended. A last line without terminator counts as a line. */
  end(): void {
    const rest = this.#decoder.end();
    if (rest !== undefined) this.#onRest(rest.text, rest.bytes);
    this.#reportSkipped();
  }

  /** Lines that begin like this are not parsed from now on. */
  skipLines(start: string): void {
    this.#skippedStart = start;
  }

  /** Drops everything from now on, including the rest of the current chunk. */
  stop(): void {
    this.#decoder.stop();
    this.#reportSkipped();
  }

  #onLine(text: string, bytes: number): void {
    if (this.#skippedStart !== undefined && text.startsWith(this.#skippedStart)) return;
    const value = isBraced(text) ? parseJson(text) : parseLine(text);
    if (isJsonObject(value)) this.#onWhole(value, bytes, text);
    else if (value !== undefined) this.#notObject.add(text, bytes);
    else if (!isBlank(text) && !this.#takeEmbedded(text)) this.#notJson.add(text, bytes);
  }

  #onWhole(frame: JsonObject, bytes: number, text: string): void {
    if (this.#rescue.onWhole(frame)) this.#sink.onFrame(frame, bytes, text);
    else this.#repeated.add(text, bytes);
  }

  /** @returns false when there is no frame in the line. */
  #takeEmbedded(line: string): boolean {
    const { frames, others } = findEmbeddedFrames(line, (value) => this.#rescue.isNew(value));
    if (frames.length === 0) return false;
    const skipped = others.join(' ');
    if (skipped !== '') this.#aroundFrames.add(skipped, Buffer.byteLength(skipped));
    for (const { frame, text } of frames) {
      const bytes = Buffer.byteLength(text);
      if (this.#rescue.onRescued(frame)) this.#sink.onFrame(frame, bytes, text);
      else this.#repeated.add(text, bytes);
    }
    return true;
  }

  #onRest(text: string, bytes: number): void {
    if (isBlank(text)) return;
    const value = parseLine(text);
    if (isJsonObject(value)) this.#onWhole(value, bytes, text);
    else if (value !== undefined) this.#notObject.add(text, bytes);
    else if (!this.#takeEmbedded(text)) this.#reportIncomplete(text, bytes);
  }

  #reportIncomplete(text: string, bytes: number): void {
    this.#sink.onDiagnostic({
      code: 'line_incomplete',
      message: 'The output ended in the middle of a line',
      details: { bytes, excerpt: text.slice(0, EXCERPT_UNITS) },
    });
  }

  #reportSkipped(): void {
    this.#notJson.flush();
    this.#notObject.flush();
    this.#aroundFrames.flush();
    this.#repeated.flush();
  }
}

/**
 * One frame as one line, newline included.
 * @throws TypeError the frame cannot become JSON (a cycle, a BigInt, a `toJSON` that returns nothing).
 */
export function encodeFrame(frame: object): string {
  const text: string | undefined = JSON.stringify(frame);
  if (text === undefined) throw new TypeError(`A frame must serialise to JSON, got ${describeValue(frame)}`);
  return `${text}\n`;
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** True for almost every line, and costs two comparisons. */
function isBraced(text: string): boolean {
  return text.charCodeAt(0) === OPENING_BRACE && text.charCodeAt(text.length - 1) === CLOSING_BRACE;
}

/** `undefined` (never the value of JSON) if the text is not JSON. */
function parseLine(text: string): unknown {
  return looksLikeJson(text) ? parseJson(text) : undefined;
}

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** False for most garbage. An exception for each line of a flood would block the host for seconds. */
function looksLikeJson(text: string): boolean {
  const trimmed = text.trim();
  switch (trimmed[0]) {
    case '{':
      return trimmed.endsWith('}');
    case '[':
      return trimmed.endsWith(']');
    case '"':
      return trimmed.endsWith('"');
    default:
      return SCALAR.test(trimmed);
  }
}

/** White space as JSON defines it. A line of byte order marks is garbage, and reported. */
function isBlank(text: string): boolean {
  return !/[^ \t\r]/.test(text);
}

/**
 * Reports skipped lines: the first hundred one by one, later ones as a count each time the total has doubled, and the
 * rest at the end. A flood of garbage then makes a few diagnostics that count every line.
 */
class SkippedLines {
  readonly #code: DiagnosticCode;
  readonly #what: string;
  readonly #onDiagnostic: DiagnosticListener;
  #total = 0;
  #nextReport = 2 * SINGLE_REPORTS;
  #lines = 0;
  #bytes = 0;
  #excerpt = '';

  /** @param what - Ends the sentence "a line of output that is ...". */
  constructor(code: DiagnosticCode, what: string, onDiagnostic: DiagnosticListener) {
    this.#code = code;
    this.#what = what;
    this.#onDiagnostic = onDiagnostic;
  }

  /** The frames were taken, and only what is around them is skipped. */
  get #isPart(): boolean {
    return this.#code === 'text_around_frame';
  }

  add(text: string, bytes: number): void {
    this.#total += 1;
    if (this.#total <= SINGLE_REPORTS) {
      this.#onDiagnostic({
        code: this.#code,
        message: `Skipped ${this.#isPart ? 'a part of a line' : 'a line'} of output that is ${this.#what}`,
        details: { bytes, excerpt: text.slice(0, this.#isPart ? TEXT_UNITS : EXCERPT_UNITS) },
      });
      return;
    }
    // Only of the first counted line: a slice of each would cost as much as a report.
    if (this.#lines === 0) this.#excerpt = text.slice(0, EXCERPT_UNITS);
    this.#lines += 1;
    this.#bytes += bytes;
    if (this.#total < this.#nextReport) return;
    this.#nextReport *= 2;
    this.flush();
  }

  /** Reports the lines counted since the last report. */
  flush(): void {
    if (this.#lines === 0) return;
    const lines = this.#lines;
    const bytes = this.#bytes;
    this.#lines = 0;
    this.#bytes = 0;
    this.#onDiagnostic({
      code: this.#code,
      message: `Skipped ${lines} more lines of output, each of them ${this.#what}`,
      details: { lines, bytes, excerpt: this.#excerpt },
    });
  }
}
