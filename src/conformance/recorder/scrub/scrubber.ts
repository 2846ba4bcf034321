import { isJsonObject } from '../../../util/json.js';
import { type Known, known, knownTexts, type Surroundings } from './machine.js';
import { replaceInPieces } from './pieces.js';
import { FIELD_HINT, fieldKind, PATTERNS, type ScrubRule } from './rules.js';

/** How often one kind was scrubbed, and where; never what. */
export interface ScrubbedItem {
  readonly kind: string;
  readonly count: number;
  readonly where: readonly string[];
}

const KEPT_PLACES = 8;
const SHORTEST_LEARNED = 4;
/** Words of the protocol: an account or a host of that name must not rename them. */
const TAGS = new Set(['type', 'subtype', 'role', 'dir', 'event']);

/** Takes secrets, paths and names out of texts and values, and counts what it took. */
export class Scrubber {
  readonly #known = new Map<string, Known>();
  readonly #counts = new Map<string, { count: number; readonly where: Set<string> }>();
  #rules: readonly ScrubRule[] = [];

  constructor(surroundings: Surroundings) {
    this.#learn(knownTexts(surroundings));
  }

  /** One text. `where` is a place for the list, such as `out user`. */
  text(text: string, where: string): string {
    return this.pieces([text], where)[0] ?? '';
  }

  /** Texts that follow one another: what is split over two of them is found too. */
  pieces(pieces: readonly string[], where: string): readonly string[] {
    let current = pieces;
    for (const rule of this.#rules) {
      current = replaceInPieces(current, rule, (kind) => this.#count(kind, where));
    }
    return current;
  }

  /** A decoded JSON value: every text in it, field names included. */
  value(value: unknown, where: string): unknown {
    return this.#walk(value, where, '', false);
  }

  /** One line that holds a JSON value, when nothing in it asks for scrubbing. */
  isClean(line: string): boolean {
    // An escape can hide what the patterns look for.
    if (line.includes('\\u') || line.includes('\\/') || FIELD_HINT.test(line)) return false;
    for (const found of this.#known.keys()) if (line.includes(found)) return false;
    return PATTERNS.every(
      ({ hints = [], pattern }) =>
        !hints.some((hint) => line.includes(hint)) || line.search(pattern) === -1,
    );
  }

  /** What was scrubbed so far, by kind. */
  get items(): readonly ScrubbedItem[] {
    return [...this.#counts].map(([kind, { count, where }]) => ({
      kind,
      count,
      where: [...where],
    }));
  }

  #walk(value: unknown, where: string, key: string, isAccount: boolean): unknown {
    if (typeof value === 'string') {
      if (TAGS.has(key)) return value;
      const kind = fieldKind(key, isAccount);
      return kind === undefined ? this.text(value, where) : this.#hide(value, kind, where);
    }
    if (Array.isArray(value)) return value.map((entry) => this.#walk(entry, where, key, isAccount));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [
        this.text(name, where),
        this.#walk(entry, where, name, isAccount || (name === 'account' && isJsonObject(entry))),
      ]),
    );
  }

  #hide(value: string, kind: string, where: string): string {
    if (value === '' || value.startsWith('[scrubbed:')) return value;
    this.#count(kind, where);
    const hidden = known(value, kind);
    if (value.length >= SHORTEST_LEARNED && !this.#known.has(value)) this.#learn([hidden]);
    return hidden.text;
  }

  #count(kind: string, where: string): void {
    const entry = this.#counts.get(kind) ?? { count: 0, where: new Set<string>() };
    entry.count += 1;
    if (entry.where.size < KEPT_PLACES) entry.where.add(where);
    this.#counts.set(kind, entry);
  }

  #learn(texts: readonly Known[]): void {
    for (const text of texts) {
      if (!this.#known.has(text.found)) this.#known.set(text.found, text);
      // As it stands inside a JSON text that is itself a string, such as a tool's streamed input.
      const escaped = JSON.stringify(text.found).slice(1, -1);
      if (!this.#known.has(escaped)) this.#known.set(escaped, { ...text, found: escaped });
    }
    const longestFirst = [...this.#known.values()].sort((a, b) => b.found.length - a.found.length);
    const literals = new RegExp(longestFirst.map(patternOf).join('|') || '$^', 'g');
    const replacement = (found: string) => this.#known.get(found) ?? known(found, 'given-text');
    this.#rules = [{ kind: '', pattern: literals, replacement }, ...PATTERNS];
  }
}

function patternOf({ found, isWord, isProject, text }: Known): string {
  const literal = found.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  if (isProject === true) return `(?<=projects[/\\\\])${literal}`;
  if (isWord === true) return `(?<![\\w-])${literal}(?![\\w-])`;
  if (!text.startsWith('/')) return literal;
  // `/tmp` is in `/var/tmp`, and `/home/a` in `/home/ab`; neither is meant.
  const isShort = found.lastIndexOf('/') === 0;
  return `${isShort ? '(?<![\\w.-])' : ''}${literal}(?![\\w-])`;
}
