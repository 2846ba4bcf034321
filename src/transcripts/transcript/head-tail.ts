import { type JsonObject, parseJson, parseJsonObject } from '../../util/json.js';

/** Keys whose last value is needed. Most transcripts lack most of them, and a miss is the expensive case. */
const SEARCHED_KEYS = /"(customTitle|aiTitle|lastPrompt|summary|tag|gitBranch|relocatedCwd)":/g;

type SearchedKey = 'customTitle' | 'aiTitle' | 'lastPrompt' | 'summary' | 'tag' | 'gitBranch' | 'relocatedCwd';

/** The place of a line in an edge. */
interface EdgeLine {
  readonly start: number;
  readonly end: number;
}

/**
 * The beginning or the end of a transcript, whose first or last line may be cut. Finds fields by searching the text and
 * parses only the lines in which a search succeeds.
 */
export class EdgeText {
  /** One character for each byte: several times as fast to make and to search as decoded text. */
  readonly #bytes: string;
  readonly #isFromStart: boolean;
  #line: EdgeLine = { start: 0, end: -1 };
  readonly #parsed = new Map<number, JsonObject | undefined>();
  #places: Map<SearchedKey, number[]> | undefined;

  /** @param isFromStart - The first line is whole. It may be when this is false. */
  constructor(bytes: Buffer, isFromStart = true) {
    this.#bytes = bytes.toString('latin1');
    this.#isFromStart = isFromStart;
  }

  /** The last value of a top-level `key` in an entry that `accept` takes. Cut lines do not count. */
  lastOf(key: SearchedKey, accept: (entry: JsonObject) => boolean = () => true): string | undefined {
    let end = Number.POSITIVE_INFINITY;
    for (const at of this.#placesOf(key)) {
      if (at >= end) continue;
      const line = this.#lineAt(at);
      const entry = this.#entryOf(line);
      const value = entry?.[key];
      if (entry !== undefined && typeof value === 'string' && accept(entry)) return value;
      end = line.start;
    }
    return undefined;
  }

  /** The last value of a top-level `key`; in a cut line, of a `key` at any depth. */
  last(key: SearchedKey): string | undefined {
    for (const at of this.#placesOf(key)) {
      const value = this.#value(this.#lineAt(at), key, at + key.length + 3);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /**
   * The first value of a top-level `key`; in a cut line, of a `key` at any depth.
   * @param isBrokenCut - Take a line that is whole and not JSON for a cut one.
   */
  first(key: string, isBrokenCut = true): string | undefined {
    const name = `"${key}":`;
    let at = this.#bytes.indexOf(name);
    while (at !== -1) {
      const line = this.#lineAt(at);
      const counts = isBrokenCut || this.#isCut(line) || this.#entryOf(line) !== undefined;
      const value = counts ? this.#value(line, key, at + name.length) : undefined;
      if (value !== undefined) return value;
      at = this.#bytes.indexOf(name, this.#entryOf(line) === undefined ? at + 1 : line.end);
    }
    return undefined;
  }

  /** The entries whose text has `part` or, with a space after its colon, `part`. In order, whole lines only. */
  *entriesWith(part: string): Generator<JsonObject> {
    const spaced = part.replace(':', ': ');
    let start = 0;
    while (start < this.#bytes.length) {
      const line = this.#lineAt(start);
      const text = this.#bytes.slice(line.start, line.end);
      if (text.includes(part) || text.includes(spaced)) {
        const entry = this.#entryOf(line);
        if (entry !== undefined) yield entry;
      }
      start = line.end + 1;
    }
  }

  /** What follows the last newline: of a head, the beginning of a longer line. */
  get cutLine(): string {
    return this.#bytes.slice(this.#bytes.lastIndexOf('\n') + 1);
  }

  /** True when the first line has `key: true`: at the top level, or anywhere when the line is cut. */
  firstLineHas(key: string): boolean {
    const line = this.#lineAt(0);
    const text = this.#bytes.slice(line.start, line.end);
    if (!text.includes(`"${key}":true`) && !text.includes(`"${key}": true`)) return false;
    const entry = this.#entryOf(line);
    return entry === undefined || entry[key] === true;
  }

  /** The places of the key, last one first. One search finds the places of all keys. */
  #placesOf(key: SearchedKey): readonly number[] {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (const match of this.#bytes.matchAll(SEARCHED_KEYS)) {
        const name = match[1] as SearchedKey;
        const places = this.#places.get(name);
        if (places === undefined) this.#places.set(name, [match.index]);
        else places.push(match.index);
      }
      for (const places of this.#places.values()) places.reverse();
    }
    return this.#places.get(key) ?? [];
  }

  /** Caches the last line: it is asked for again and may be as long as the edge. */
  #lineAt(at: number): EdgeLine {
    if (at >= this.#line.start && at <= this.#line.end) return this.#line;
    const end = this.#bytes.indexOf('\n', at);
    this.#line = {
      start: at === 0 ? 0 : this.#bytes.lastIndexOf('\n', at - 1) + 1,
      end: end === -1 ? this.#bytes.length : end,
    };
    return this.#line;
  }

  #entryOf({ start, end }: EdgeLine): JsonObject | undefined {
    if (this.#parsed.has(start)) return this.#parsed.get(start);
    const entry = parseJsonObject(decoded(this.#bytes.slice(start, end)));
    this.#parsed.set(start, entry);
    return entry;
  }

  #isCut({ start, end }: EdgeLine): boolean {
    return end === this.#bytes.length || (start === 0 && !this.#isFromStart);
  }

  #value(line: EdgeLine, key: string, at: number): string | undefined {
    const entry = this.#entryOf(line);
    if (entry === undefined) return stringAt(this.#bytes, at, line.end);
    const value = entry[key];
    return typeof value === 'string' ? value : undefined;
  }
}

/** Decodes these bytes. */
function decoded(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}

/** The JSON string at `at`, after at most one space, when it ends before `end`. */
function stringAt(text: string, at: number, end: number): string | undefined {
  const quote = text[at] === ' ' ? at + 1 : at;
  if (text[quote] !== '"') return undefined;
  for (let index = quote + 1; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index++;
    else if (code === 0x22) {
      // A quoted text that parses as JSON is a string.
      return parseJson(decoded(text.slice(quote, index + 1))) as string | undefined;
    }
  }
  return undefined;
}
