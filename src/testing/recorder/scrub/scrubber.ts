import { parseJson } from '../../../util/json.js';
import { type Known, known, knownTexts, type Surroundings } from './host-identifiers.js';
import { rewriteJson } from './rewrite-json.js';
import {
  accountKind,
  FIELD_HINT,
  fieldKind,
  isCount,
  isPassword,
  PATTERNS,
  replaceAll,
  type ScrubRule,
} from './rules.js';
import { wrappedBase64 } from './wrapped-base64.js';

/** A private key of a stream ends after so many lines, whether its END was seen or not. */
const MAX_KEY_LINES = 256;
const PRIVATE_KEY = known('', 'private-key').text;
const KEY_BEGIN = /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/;
const KEY_END = /-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----/;
/** Values of secret fields that are looked for elsewhere: the newest ones, and no more of one line. */
const MAX_LEARNED = 256;
const MAX_LEARNED_A_LINE = 64;
/** The newest group of them takes more until it has so many: an expression of all would take milliseconds a line. */
const GROUP = 32;
/** Not searched for elsewhere: words and years are too common, and long texts are rarely repeated. */
const COMMON = /^(?:\p{L}{0,7}|\d{0,5}|.{0,3}|.{4097,})$/su;
/** No letter or digit goes on here; that of an escape such as `\n` does not count. */
const EDGE = '(?:(?<!\\w)|(?!\\w)|(?<=\\\\[bfnrt]))';
/** Words of the protocol: an account or a host of that name must not rename them. */
const TAGS = new Set(['type', 'subtype', 'role', 'dir', 'event']);
/** Names of tools and ids: a learned value must not rename them. */
const LABEL = /^(?:(?:tool_)?name|uuid|id)$|_id$|I[Dd]$/;

/** In a list of arguments, its value is the next one. */
const FLAG = /^--?(?!no-)[A-Za-z][\w-]*$/;
/** As Docker keeps a log-in in a field `auth`. */
const BASE64 = /^[A-Za-z0-9+/]{12,}=*$/;
/** Headers that say nothing secret. Those of MCP servers have any name. */
const PLAIN_HEADER = /^(?:accept(?:-\w+)?|content-\w+|user-agent|host|origin|anthropic-(?:version|beta))$/i;
const SHORTEST_ENCODED = 8;
const SHORTEST_CORE = 12;
const SHORTEST_NUMBER = 6;
/** JSON in JSON in JSON, and the line that holds it. */
const DEPTH = 3;
/** A field may say that there is no secret; such a word stays as it is everywhere else. */
const PLAIN_WORDS = new Set(
  'true false null none string number object array user assistant system text default basic bearer'.split(' '),
);
const JSON_START = /^\s*[[{]/;
/** A text that begins like JSON: an escaped quote soon after. */
const NESTED_HINT = /"\s*[[{][^"]{0,80}\\"/;

/** Behind a name an escaped quote or backslash may be a part of the value. */
const ESCAPED_HINT = /(?:key|token|secret|pass|credential|bearer|pw|psk)[^"]{0,64}\\["\\]/i;

/** Where a text stands: its field, and what names above say of it. */
interface Field {
  readonly key: string;
  /** Kind of a text at this place. */
  readonly own: string | undefined;
  /** Kind of the fields of an object at this place. */
  readonly below: string | undefined;
  /** A name above is a secret's, not its own. */
  readonly isNested?: boolean;
  /** At or below a name such as `tokens`: more likely words than secrets. */
  readonly isCounted?: boolean;
}

const TOP: Field = { key: '', own: undefined, below: undefined };
const ACCOUNT = 'account';
const IN_HEADERS = 'headers';
const HEADERS = /headers$/i;
/** What stands in a list of headers for the name of one. */
const HEADER_NAME = /^(?:header)?(?:name|key)$/i;

function enter(key: string, { key: outerKey, below, isCounted = false }: Field): Field {
  if (below === ACCOUNT) return { key, own: accountKind(key), below };
  // Settings of the CLI: which variables and files are credentials, not what is in them.
  if (outerKey === 'credentials' && (key === 'envVars' || key === 'files')) return { ...TOP, key };
  if (below === IN_HEADERS) {
    return { key, own: PLAIN_HEADER.test(key) || HEADER_NAME.test(key) ? undefined : 'secret-field', below };
  }
  if (HEADERS.test(key) && outerKey !== 'properties') return { key, own: undefined, below: IN_HEADERS };
  const own = fieldKind(key);
  if (own === undefined) return { key, own: below, below: key === ACCOUNT ? key : below, isNested: true, isCounted };
  // A JSON schema names a field there, and says what it is like.
  const isSchema = outerKey === 'properties';
  return { key, own, below: isSchema || own !== 'secret-field' ? below : own, isCounted: /tokens$/i.test(key) };
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

/** Takes secrets, paths and names out of texts and values. */
export class Scrubber {
  readonly #known = new Map<string, Known>();
  readonly #knownRules: readonly ScrubRule[];
  /** Newest first. */
  #learned: readonly Learned[] = [];
  /** Learned from the line that is being scrubbed. */
  readonly #fresh = new Map<string, Known>();
  readonly #onFound: (kind: string, where: string) => void;
  readonly #labelRules: readonly ScrubRule[];
  #rules: readonly ScrubRule[];
  /** How many lines may still belong to a private key that began, by stream. */
  readonly #keyLines = new Map<string, number>();

  /** @param onFound - told of every piece that was scrubbed; never what it was. */
  constructor(surroundings: Surroundings, onFound: (kind: string, where: string) => void = () => {}) {
    this.#onFound = onFound;
    const cores = new Map<string, Known>();
    for (const text of knownTexts(surroundings)) {
      addForms(this.#known, text, true);
      if (isEncodable(text)) for (const core of inBase64(text.found, true)) cores.set(core, text);
    }
    const all = longestFirst(this.#known);
    const found = ruleOf(this.#known, all.map(patternOf).join('|'), all);
    this.#knownRules = [found, wrappedBase64(cores)];
    this.#labelRules = this.#rules = [...this.#knownRules, ...PATTERNS];
  }

  /** One text. `where` is a place for the list, such as `out user`. */
  text(text: string, where: string, rules?: readonly ScrubRule[]): string {
    return this.pieces([text], where, [0, 1], rules)[0] ?? '';
  }

  /** A line that is not a frame. A private key may span several lines, up to its END. */
  line(text: string, dir: string): string {
    const left = this.#keyLines.get(dir) ?? 0;
    const end = left > 0 ? KEY_END.exec(text) : undefined;
    const rest = end ? text.slice(end.index + end[0].length) : text;
    const isOpen = KEY_BEGIN.test(rest.slice(rest.lastIndexOf('-----END ') + 1));
    this.#keyLines.set(dir, end === null ? left - 1 : isOpen ? MAX_KEY_LINES : 0);
    if (end === null) return PRIVATE_KEY;
    return (left > 0 ? PRIVATE_KEY : '') + this.text(rest, dir);
  }

  /**
   * Texts that follow one another: what is split over two of them is found too. What cannot be replaced piece by piece
   * moves into the first of `counted`.
   * @param inner - the rules for a text inside JSON.
   * @param counted - the first piece whose findings go into the list, and the one after the last; others are context.
   */
  pieces(
    pieces: readonly string[],
    where: string,
    [first, end]: readonly [number, number] = [0, pieces.length],
    inner?: readonly ScrubRule[],
  ): readonly string[] {
    const rules = inner ?? this.#rules;
    const whole = pieces.length === 1 ? (pieces[0] ?? '') : pieces.slice(first).join('');
    const isWhole = first === 0 && end === pieces.length;
    if (!(isWhole && JSON_START.test(whole) && parseJson(whole) !== undefined)) {
      const current = replaceAll(pieces, rules, (kind, index) => {
        if (index >= first && index < end) this.#onFound(kind, where);
      });
      if (!isWhole) return current;
      const joined = current.length === 1 ? (current[0] ?? '') : current.join('');
      const plain = withoutEscapes(joined);
      if (plain === joined) return current;
      const after = this.#replace(plain, where, rules);
      return after === plain ? current : [after, ...pieces.slice(1).fill('')];
    }
    // JSON inside a text, such as a tool's streamed input: its fields have names.
    const after = inner === undefined ? this.json(whole, where) : this.#rewrite(whole, where);
    if (pieces.length === 1) return [after];
    // Pieces stay where they were when the rules are enough.
    const current = after === whole ? pieces : replaceAll(pieces, rules, () => {});
    return current.join('') === after ? current : [this.#replace(after, where), ...pieces.slice(1).fill('')];
  }

  /** A JSON text: every text in it, field names included. What is not scrubbed keeps its spelling. */
  json(source: string, where: string): string {
    const after = this.#rewrite(source, where);
    // A value may stand before the field that says it is a secret.
    return this.#useFresh() ? this.#rewrite(after, where) : after;
  }

  #rewrite(source: string, where: string): string {
    return rewriteJson<Field>(source, TOP, {
      enter,
      next: (flag, place) => (FLAG.test(flag) && fieldKind(flag) === 'secret-field' ? enter(flag, place) : undefined),
      pair: (name, place) =>
        fieldKind(name) === 'secret-field' || place.below === IN_HEADERS ? enter(name, place) : place,
      name: (name) => this.text(name, where, this.#rules),
      text: (value, { key, own, below, isCounted }) => {
        if (TAGS.has(key)) return value;
        // Behind a flag, another flag is no value, and a number of tokens no secret.
        if (FLAG.test(key) && (value.startsWith('-') || (/^\d+$/.test(value) && isCount(key, value)))) return value;
        if (own !== undefined) return this.#hide(value, own, where, isCounted);
        if (below === IN_HEADERS && HEADERS.test(key)) return this.#headers(value, where);
        if (isPassword(key, value)) return this.#hide(value, 'secret-field', where);
        if (key === 'auth' && BASE64.test(value)) return this.#hide(value, 'secret-field', where);
        return this.text(value, where, LABEL.test(key) ? this.#labelRules : this.#rules);
      },
      number: (number, { key, own, isNested }) => {
        if (own === 'secret-field' && !isNested && !isCount(key, number)) return this.#hide(number, own, where);
        const after = number.length < SHORTEST_NUMBER ? number : this.#replace(number, where);
        return after === number ? undefined : after;
      },
    });
  }

  /** The value of a flag or variable whose name says that it is a secret. */
  secret(value: string, where: string): string {
    const hidden = this.#hide(value, 'secret-field', where);
    this.#useFresh();
    return hidden;
  }

  /** One line that holds a JSON value, when nothing in it asks for scrubbing. */
  isClean(line: string): boolean {
    // An escape can hide what the patterns look for, and so can JSON inside a text.
    if (/\\[u/]/.test(line) || FIELD_HINT.test(line) || NESTED_HINT.test(line) || ESCAPED_HINT.test(line)) return false;
    for (const found of this.#known.keys()) if (line.includes(found)) return false;
    return this.#rules.every(({ hint, pattern }) => hint?.test(line) === false || line.search(pattern) === -1);
  }

  /** Headers as lines of a text, or one of a list. */
  #headers(text: string, where: string): string {
    const lines = text.split('\n').map((line) => {
      const [name = '', ...rest] = line.split(':');
      const value = rest.join(':').trim();
      if (value === '' || !/^[\w-]+$/.test(name.trim()) || PLAIN_HEADER.test(name.trim())) return line;
      return line.replace(value, () => this.#hide(value, 'secret-field', where));
    });
    return this.text(lines.join('\n'), where, this.#rules);
  }

  #replace(text: string, where: string, rules = this.#rules): string {
    return replaceAll([text], rules, (kind) => this.#onFound(kind, where))[0] ?? '';
  }

  #hide(value: string, kind: string, where: string, isCounted = false): string {
    if (value === '' || value.startsWith('[scrubbed:')) return value;
    this.#onFound(kind, where);
    const hidden = known(value, kind);
    const isCommon = isCounted || COMMON.test(value) || PLAIN_WORDS.has(value.toLowerCase());
    const isKnown =
      this.#known.has(value) ||
      this.#learned.some(({ texts }) => texts.has(value)) ||
      this.#fresh.size >= MAX_LEARNED_A_LINE;
    if (!isCommon && !isKnown) addForms(this.#fresh, hidden);
    return hidden.text;
  }

  /** Once a line. Only the newest group is compiled, and not before one of its texts is met. */
  #useFresh(): boolean {
    if (this.#fresh.size === 0) return false;
    const [newest, ...older] = this.#learned;
    const isOpen = newest !== undefined && newest.texts.size < GROUP;
    const texts = new Map(isOpen ? newest.texts : []);
    const others = [this.#known, ...this.#learned.map((group) => group.texts)].flatMap((group) => [...group.values()]);
    for (const [found, text] of this.#fresh) {
      texts.set(found, text);
      // A longer one that holds this one must come first, which it does in the same expression.
      for (const other of others) {
        if (other.text.startsWith('[scrubbed') && other.found.includes(found)) texts.set(other.found, other);
      }
    }
    this.#fresh.clear();
    const all = longestFirst(texts);
    const words = all.map(({ found }) => escaped(found)).join('|');
    const groups = [
      { texts, rule: ruleOf(texts, `${EDGE}(?:${words})${EDGE}`, all) },
      ...(isOpen ? older : this.#learned),
    ];
    let count = 0;
    this.#learned = groups.filter((group) => {
      const isKept = count < MAX_LEARNED;
      count += group.texts.size;
      return isKept;
    });
    this.#rules = [...this.#learned.map(({ rule }) => rule), ...this.#knownRules, ...PATTERNS];
    return true;
  }
}

interface Learned {
  readonly texts: ReadonlyMap<string, Known>;
  readonly rule: ScrubRule;
}

function longestFirst(texts: ReadonlyMap<string, Known>): readonly Known[] {
  return [...texts.values()].sort((a, b) => b.found.length - a.found.length);
}

/** A look for each text is quicker than their expression, which most lines never need. */
function ruleOf(texts: ReadonlyMap<string, Known>, source: string, all: readonly Known[]): ScrubRule {
  const hint = { test: (text: string) => all.some(({ found }) => text.includes(found)) };
  const replacement = (found: string) => texts.get(found) ?? known(found, '');
  return { pattern: new RegExp(source, 'g'), hint, replacement };
}

/** Also as it stands inside JSON texts that are themselves strings, in a URL, and in Base64. */
function addForms(to: Map<string, Known>, text: Known, isInner = false): void {
  const { found } = text;
  const forms = [found];
  for (let depth = 0; depth < DEPTH; depth += 1) forms.push(JSON.stringify(forms[depth]).slice(1, -1));
  for (const form of [...forms, ...(isEncodable(text) ? encoded(found, isInner) : [])]) {
    if (!to.has(form)) to.set(form, { ...text, found: form });
  }
}

/** Too short, its codes would be in many texts. */
function isEncodable({ text, found }: Known): boolean {
  return text.startsWith('[scrubbed') && found.length >= SHORTEST_ENCODED && found.length <= 4_096;
}

function encoded(text: string, isInner: boolean): readonly string[] {
  return [encodeURIComponent(Buffer.from(text).toString()), ...inBase64(text, isInner)];
}

/** @param isInner - also inside the Base64 of a longer text, at each place that its bytes can begin at. */
function inBase64(text: string, isInner: boolean): readonly string[] {
  const bytes = Buffer.from(text);
  // Without the `=` at its end, which is no part of some dialects.
  const base64 = [bytes.toString('base64url')];
  for (const before of isInner ? [0, 1, 2] : []) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    // Without the letters at both ends that depend on the bytes around.
    const core = padded.toString('base64url').slice(before && before + 1, Math.floor((padded.length * 4) / 3));
    if (core.length >= SHORTEST_CORE) base64.push(core);
  }
  const others = base64.map((each) => each.replaceAll('-', '+').replaceAll('_', '/'));
  return [...base64, ...others];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function patternOf({ found, isWord, isProject, text }: Known): string {
  const source = escaped(found);
  if (isProject === true) return `(?<=projects[/\\\\])${source}`;
  if (isWord === true) return `(?<![\\w-])${source}(?![\\w-])`;
  if (!text.startsWith('/')) return source;
  // `/tmp` is in `/var/tmp`, and `/home/a` in `/home/ab`; neither is meant.
  const isShort = found.lastIndexOf('/') === 0;
  return `${isShort ? '(?<![\\w.-])' : ''}${source}(?![\\w-])`;
}
