import { parseJson } from '../../../util/json.js';
import { type Known, known, knownTexts, type Surroundings } from './host-identifiers.js';
import { rewriteJson } from './rewrite-json.js';
import { accountKind, FIELD_HINT, fieldKind, isCount, PATTERNS, replaceInPieces, type ScrubRule } from './rules.js';

/** How often one kind was scrubbed, and where; never what. */
export interface ScrubbedItem {
  readonly kind: string;
  readonly count: number;
  readonly where: readonly string[];
}

/** By kind. */
export type Counts = Map<string, { count: number; readonly where: Set<string> }>;

const KEPT_PLACES = 8;
const SHORTEST_LEARNED = 4;
/** Words of the protocol: an account or a host of that name must not rename them. */
const TAGS = new Set(['type', 'subtype', 'role', 'dir', 'event']);

const SHORTEST_NUMBER = 6;
/** A field may say that there is no secret; such a word stays as it is everywhere else. */
const PLAIN_WORDS = new Set(
  'true false null none string number object array user assistant system text default basic bearer'.split(' '),
);
const JSON_START = /^\s*[[{]/;
/** A text that begins like JSON: an escaped quote soon after. */
const NESTED_HINT = /"\s*[[{][^"]{0,80}\\"/;

/** Where a text stands: its field, and what names above say of it. */
interface Field {
  readonly key: string;
  /** Kind of a text at this place. */
  readonly own: string | undefined;
  /** Kind of the fields of an object at this place. */
  readonly below: string | undefined;
  /** A name above is a secret's, not its own. */
  readonly isNested?: boolean;
}

const TOP: Field = { key: '', own: undefined, below: undefined };
const ACCOUNT = 'account';

function enter(key: string, { key: outerKey, below }: Field): Field {
  if (below === ACCOUNT) return { key, own: accountKind(key), below };
  // Settings of the CLI: which variables and files are credentials, not what is in them.
  if (outerKey === 'credentials' && (key === 'envVars' || key === 'files')) return { ...TOP, key };
  const own = fieldKind(key);
  if (own === undefined) return { key, own: below, below: key === ACCOUNT ? ACCOUNT : below, isNested: true };
  // A JSON schema names a field there, and says what it is like.
  const isSchema = outerKey === 'properties';
  return { key, own, below: isSchema || own !== 'secret-field' ? below : own };
}

/** Letters that are written as escapes of JSON inside JSON, however deep. */
function withoutEscapes(text: string): string {
  return text
    .replace(/(?<!\\)\\+u00([2-7][0-9a-f])/gi, (written, hex: string) => {
      const char = String.fromCharCode(Number.parseInt(hex, 16));
      return char === '"' || char === '\\' ? written : char;
    })
    .replace(/(?<!\\)\\+\//g, '/');
}

/** Takes secrets, paths and names out of texts and values, and counts what it took. */
export class Scrubber {
  readonly #known = new Map<string, Known>();
  readonly #counts: Counts = new Map();
  #rules: readonly ScrubRule[] = [];

  constructor(surroundings: Surroundings) {
    this.#learn(knownTexts(surroundings));
  }

  /** One text. `where` is a place for the list, such as `out user`. */
  text(text: string, where: string): string {
    return this.pieces([text], where)[0] ?? '';
  }

  /**
   * Texts that follow one another: what is split over two of them is found too. What cannot be replaced piece by piece
   * moves into the first of `counted`.
   * @param counted - the first piece whose findings go into the list, and
   *   the one after the last; the others are context.
   */
  pieces(
    pieces: readonly string[],
    where: string,
    [first, end]: readonly [number, number] = [0, pieces.length],
  ): readonly string[] {
    const whole = pieces.length === 1 ? (pieces[0] ?? '') : pieces.slice(first).join('');
    const isWhole = first === 0 && end === pieces.length;
    let current = pieces;
    if (!(isWhole && JSON_START.test(whole) && parseJson(whole) !== undefined)) {
      for (const rule of this.#rules) {
        current = replaceInPieces(current, rule, (kind, index) => {
          if (index >= first && index < end) this.#count(kind, where);
        });
      }
      if (!isWhole) return current;
      const joined = current.length === 1 ? (current[0] ?? '') : current.join('');
      const plain = withoutEscapes(joined);
      if (plain === joined) return current;
      const after = this.#replace(plain, where);
      return after === plain ? current : [after, ...pieces.slice(1).fill('')];
    }
    // JSON inside a text, such as a tool's streamed input: its fields have names.
    const after = this.json(whole, where);
    return after === whole ? pieces : this.#spread(pieces, after, where);
  }

  /** A JSON text: every text in it, field names included. What is not scrubbed keeps its spelling. */
  json(source: string, where: string): string {
    return rewriteJson<Field>(source, TOP, {
      enter: (name, outer) => enter(name, outer),
      name: (name) => this.text(name, where),
      text: (value, { key, own }) => {
        if (TAGS.has(key)) return value;
        return own === undefined ? this.text(value, where) : this.#hide(value, own, where);
      },
      number: (number, { key, own, isNested }) => {
        if (own === 'secret-field' && !isNested && !isCount(key, number)) return this.#hide(number, own, where);
        const after = number.length < SHORTEST_NUMBER ? number : this.#replace(number, where);
        return after === number ? undefined : after;
      },
    });
  }

  /** A decoded JSON value. */
  value(value: unknown, where: string): unknown {
    return JSON.parse(this.json(JSON.stringify(value), where));
  }

  /** The value of a flag or variable whose name says that it is a secret. */
  secret(value: string, where: string): string {
    return this.#hide(value, 'secret-field', where);
  }

  /** One line that holds a JSON value, when nothing in it asks for scrubbing. */
  isClean(line: string): boolean {
    // An escape can hide what the patterns look for.
    if (line.includes('\\u') || line.includes('\\/') || FIELD_HINT.test(line)) return false;
    // So can JSON inside a text.
    if (NESTED_HINT.test(line)) return false;
    for (const found of this.#known.keys()) if (line.includes(found)) return false;
    return PATTERNS.every(({ hint, pattern }) => hint?.test(line) === false || line.search(pattern) === -1);
  }

  /** What was scrubbed so far, by kind. */
  get items(): readonly ScrubbedItem[] {
    return itemsOf(this.#counts);
  }

  #replace(text: string, where: string): string {
    let current: readonly string[] = [text];
    for (const rule of this.#rules) current = replaceInPieces(current, rule, (kind) => this.#count(kind, where));
    return current[0] ?? '';
  }

  /** Rules first, so that pieces stay where they were when that is enough. */
  #spread(pieces: readonly string[], after: string, where: string): readonly string[] {
    if (pieces.length === 1) return [after];
    let current = pieces;
    for (const rule of this.#rules) current = replaceInPieces(current, rule, () => {});
    const joined = current.join('');
    if (joined === after) return current;
    return [this.#replace(after, where), ...pieces.slice(1).fill('')];
  }

  #hide(value: string, kind: string, where: string): string {
    if (value === '' || value.startsWith('[scrubbed:')) return value;
    this.#count(kind, where);
    const hidden = known(value, kind);
    const isOne = value.length >= SHORTEST_LEARNED && !PLAIN_WORDS.has(value.toLowerCase());
    if (isOne && !this.#known.has(value)) this.#learn([{ ...hidden, isWord: /^\d+$/.test(value) }]);
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

/** The counts as a list. */
export function itemsOf(counts: Counts): readonly ScrubbedItem[] {
  return [...counts].map(([kind, { count, where }]) => ({ kind, count, where: [...where] }));
}
