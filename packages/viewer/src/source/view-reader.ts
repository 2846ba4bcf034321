import { LineScrubber, type LineScrubberOptions, LineSplitter } from 'claudewire/testing';
import { parseJson } from '../model/json.js';
import { ViewBuilder } from '../model/view-builder.js';
import type { ViewData } from '../model/view-data.js';
import { Bodies, type BodyLimits } from './bodies.js';
import { detectFormat, LOOKED_AT } from './detect.js';
import { readDocument } from './document-format.js';
import { PlainFormat } from './log-formats.js';
import type { LineFormat, SourceLine } from './source-line.js';

/** A longer line is counted and not read. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** A document of several lines, such as a report, is read as a whole up to here. */
const MAX_DOCUMENT_CHARS = 64 * 1024 * 1024;

export interface ReadOptions extends LineScrubberOptions {
  /** @defaultValue 64 Ki characters a frame, 256 Mi together */
  readonly limits?: BodyLimits;
  /** Gets each body as it is kept. */
  readonly onBody?: (body: string) => void;
}

interface Pending extends SourceLine {
  readonly line: number;
  readonly bytes: number;
}

/** Reads a source chunk by chunk into what the page shows: format found, lines scrubbed, bodies kept. */
export class ViewReader {
  readonly bodies: Bodies;
  readonly #name: string;
  readonly #scrubber: LineScrubber;
  readonly #splitter: LineSplitter;
  readonly #onBody: ((body: string) => void) | undefined;
  #builder: ViewBuilder | undefined;
  #format: LineFormat | undefined;
  #about: string | undefined;
  #kind: ViewData['source']['kind'] | undefined;
  /** Lines that came before the format was known. */
  #early: string[] = [];
  #earlyChars = 0;
  #isDocument = false;
  #pending: Pending[] = [];
  #lines = 0;
  #bytes = 0;
  #clock = 0;

  constructor(name: string, options: ReadOptions = {}) {
    const { limits, onBody, ...scrubbing } = options;
    this.#name = name;
    this.#onBody = onBody;
    this.#scrubber = new LineScrubber(scrubbing);
    this.bodies = new Bodies(limits);
    this.#splitter = new LineSplitter({
      maxBytes: MAX_LINE_BYTES,
      onTooLong: (bytes) => {
        this.#lines += 1;
        this.#note({ event: 'line_too_long', bytes, limit: MAX_LINE_BYTES });
      },
    });
  }

  /** Everything so far. More may be added to it. */
  get builder(): ViewBuilder {
    const kind = this.#format?.kind;
    const hasAnswers = kind !== 'play-log' && kind !== 'scenario';
    this.#builder ??= new ViewBuilder({ hasResults: kind !== 'transcript', hasAnswers });
    return this.#builder;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    for (const line of this.#splitter.push(chunk)) this.#line(line);
  }

  /** Puts a remark between the lines, such as that a file was replaced. */
  remark(text: string): void {
    this.#note({ event: 'problem', text });
  }

  /** Adds a document to the lines, such as the verdict of a play to its log. */
  attach(value: unknown): void {
    this.#settleFormat();
    for (const line of readDocument(value)?.lines ?? []) this.#take({ ...line, t: Number.NaN }, this.#lines);
  }

  /**
   * Shows texts that have waited for two seconds for their rest, but for the last word.
   * @param quietMs - milliseconds since the last line came.
   */
  release(quietMs: number): void {
    this.#add(this.#scrubber.release(this.#clock + quietMs));
  }

  /** The source has ended. @param isOver - false: what is open may still be answered. */
  end(isOver = true): void {
    if (this.#splitter.bytes > 0) {
      const rest = this.#splitter.takeRest();
      if (rest !== undefined) this.#line(rest);
    }
    this.#settleFormat();
    this.#add(this.#scrubber.end());
    if (isOver) this.builder.end();
  }

  view(): ViewData {
    const { about = this.#about, cliVersion } = this.#format ?? {};
    return this.builder.view({
      source: {
        kind: this.#kind ?? (this.#lines === 0 ? 'empty' : (this.#format?.kind ?? 'lines')),
        name: this.#scrubber.text(this.#name),
        ...(about === undefined ? {} : { about: this.#scrubber.text(about) }),
        ...(cliVersion === undefined ? {} : { cliVersion: this.#scrubber.text(cliVersion) }),
        ...{ bytes: this.#bytes, lines: this.#lines },
      },
      notes: this.#notes(),
    });
  }

  #notes(): readonly string[] {
    const { cutFrames } = this.bodies;
    if (cutFrames === 0) return [];
    const some = cutFrames === 1 ? '1 frame is' : `${cutFrames} frames are`;
    return [`${some} cut: each says how long it is, and in which line of the source the whole of it is.`];
  }

  #line(line: string): void {
    this.#lines += 1;
    // The mark at the begin of a file, which editors on Windows write.
    const text = this.#lines === 1 && line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    if (this.#format !== undefined) this.#read(text, this.#lines);
    else this.#detect(text);
  }

  #detect(line: string): void {
    this.#early.push(line);
    this.#earlyChars += line.length;
    if (this.#early.length === 1 && /^\s*[[{]\s*$/.test(line)) this.#isDocument = true;
    if (this.#isDocument) {
      if (this.#earlyChars > MAX_DOCUMENT_CHARS) this.#settleFormat();
      return;
    }
    const format = detectFormat(line);
    if (format !== undefined) this.#start(format);
    else if (this.#early.length >= LOOKED_AT) this.#settleFormat();
  }

  /** No more lines come from which the format could be told. */
  #settleFormat(): void {
    if (this.#format !== undefined) return;
    const isShort = this.#early.length === 1 || (this.#isDocument && this.#earlyChars <= MAX_DOCUMENT_CHARS);
    const document = isShort ? readDocument(parseJson(this.#early.join('\n'))) : undefined;
    if (document === undefined) {
      this.#start(new PlainFormat());
      return;
    }
    this.#kind = document.kind;
    this.#about = document.about;
    this.#format = new PlainFormat();
    this.#early = [];
    for (const line of document.lines) this.#take(line, 1);
  }

  #start(format: LineFormat): void {
    this.#format = format;
    const early = this.#early;
    this.#early = [];
    const first = this.#lines - early.length + 1;
    for (const [index, line] of early.entries()) this.#read(line, first + index);
  }

  #read(line: string, number: number): void {
    if (line === '' || this.#format === undefined) return;
    for (const each of this.#format.read(line)) this.#take(each, number);
  }

  #note(note: object): void {
    this.#settleFormat();
    this.#take({ t: Number.NaN, dir: 'meta', proc: 1, text: JSON.stringify(note) }, this.#lines);
  }

  #take(line: SourceLine, number: number): void {
    const t = Number.isNaN(line.t) ? this.#clock : line.t;
    this.#clock = t;
    this.#pending.push({ ...line, t, line: number, bytes: Buffer.byteLength(line.text) });
    this.#add(this.#scrubber.push({ t, dir: line.dir, text: line.text }));
  }

  #add(ready: readonly string[]): void {
    const lines = this.#pending.splice(0, ready.length);
    for (const [index, { text: _, ...place }] of lines.entries()) {
      const json = ready[index] ?? '""';
      this.builder.add({ ...place, json });
      const body = this.bodies.add(json, place.bytes);
      this.#onBody?.(body);
    }
  }
}
