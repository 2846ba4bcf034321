import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { ReaderFault } from './deviation.js';

/** What a host saw on stdout, by line. Counts what the CLI gives occasion for. */
export interface Census {
  lines: number;
  blank: number;
  crlf: number;
  notJson: number;
  brokenObject: number;
  notObject: number;
  typeNotFirst: number;
  badUtf8: number;
  splitFrame: number;
  splitCharacter: number;
  joinedFrames: number;
  unendedLastLine: number;
  rawSeparator: number;
  unknownAnswer: number;
  secondAnswer: number;
  answerWithoutResponse: number;
  requestWithoutRequest: number;
  reusedRequestId: number;
  ping: number;
}

export const emptyCensus = (): Census => ({
  lines: 0,
  blank: 0,
  crlf: 0,
  notJson: 0,
  brokenObject: 0,
  notObject: 0,
  typeNotFirst: 0,
  badUtf8: 0,
  splitFrame: 0,
  splitCharacter: 0,
  joinedFrames: 0,
  unendedLastLine: 0,
  rawSeparator: 0,
  unknownAnswer: 0,
  secondAnswer: 0,
  answerWithoutResponse: 0,
  requestWithoutRequest: 0,
  reusedRequestId: 0,
  ping: 0,
});

/** Frames that a strict host of the first days would know. */
const OLD_TYPES = ['system', 'assistant', 'user', 'result', 'control_request', 'control_response'];
const OLD_SUBTYPES = ['init', undefined];
/** What some line readers take for the end of a line. */
const MORE_LINE_ENDS = /\r\n|[\n\r\u0085\u2028\u2029]/;

/** Bytes to frames, rightly or with one fault. */
export class HostReader {
  readonly #fault: ReaderFault | undefined;
  readonly #onFrame: (frame: JsonObject) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #census: Census;
  #rest = '';

  constructor(fault: ReaderFault | undefined, census: Census, onFrame: (frame: JsonObject) => void) {
    this.#fault = fault;
    this.#census = census;
    this.#onFrame = onFrame;
  }

  /** @throws UnknownFrame a host that knows some types only */
  add(chunk: Buffer): void {
    const whole = this.#decoder.write(chunk);
    const alone = chunk.toString('utf8');
    if (alone.endsWith('\uFFFD') && !whole.endsWith('\uFFFD')) this.#census.splitCharacter += 1;
    const text = this.#fault === 'utf8_by_chunk' ? alone : whole;
    this.#countChunk(whole);
    const lineEnd = this.#fault === 'more_line_ends' ? MORE_LINE_ENDS : '\n';
    const lines = (this.#rest + text).split(lineEnd);
    if (this.#fault === 'chunk_is_lines') this.#rest = '';
    else this.#rest = lines.pop() ?? '';
    if (this.#fault === 'first_of_chunk') lines.splice(1);
    for (const line of lines) this.#line(line);
  }

  end(): void {
    const rest = this.#rest;
    this.#rest = '';
    if (rest === '') return;
    this.#census.unendedLastLine += 1;
    if (this.#fault !== 'drops_last_line') this.#line(rest);
  }

  #countChunk(text: string): void {
    if (this.#rest !== '') this.#census.splitFrame += 1;
    if (text.split('\n').length > 2) this.#census.joinedFrames += 1;
    if (/[\u0085\u2028\u2029]/.test(text)) this.#census.rawSeparator += 1;
    if (text.includes('\uFFFD')) this.#census.badUtf8 += 1;
  }

  #line(line: string): void {
    this.#census.lines += 1;
    if (line.trim() === '') {
      this.#census.blank += line === '' && this.#fault === 'chunk_is_lines' ? 0 : 1;
      return;
    }
    if (line.endsWith('\r')) this.#census.crlf += 1;
    let value: unknown;
    try {
      value = JSON.parse(this.#fault === 'trims_texts' ? line.replaceAll(/\\n|\\t|[^\x20-\x7e]/g, '') : line);
    } catch {
      this.#census[line.startsWith('{') ? 'brokenObject' : 'notJson'] += 1;
      return;
    }
    if (!isJsonObject(value)) {
      this.#census.notObject += 1;
      return;
    }
    if (!line.startsWith('{"type":')) {
      this.#census.typeNotFirst += 1;
      if (this.#fault === 'type_comes_first') return;
    }
    if (this.#fault === 'known_types_only') refuseUnknown(value);
    this.#onFrame(value);
  }
}

export class UnknownFrame extends Error {}

function refuseUnknown({ type, subtype }: JsonObject): void {
  const isKnown = OLD_TYPES.includes(String(type)) && (type !== 'system' || OLD_SUBTYPES.includes(String(subtype)));
  if (!isKnown) throw new UnknownFrame(`unknown frame ${[type, subtype].filter(Boolean).join('/')}`);
}
