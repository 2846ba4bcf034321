/** What becomes of the parts of a JSON text. `T` says where a part stands. */
export interface JsonRewriter<T> {
  /** The place of a field's value, in an object at `outer`. Entries of a list have the place of the list. */
  enter(name: string, outer: T): T;
  /** The place of what a text names: `value` beside `name`, and what follows the first text of a list in a list. */
  pair?(name: string, place: T): T;
  /** The place of the text that follows this one in a list. `undefined`: that of the list. */
  next?(value: string, place: T): T | undefined;
  /** The new text; the same text leaves the source unchanged. */
  text(value: string, place: T): string;
  name(value: string): string;
  /** A number as it is written; a text in its place, or `undefined` to keep it. */
  number(source: string, place: T): string | undefined;
}

/** Fields of an object that names a value, as `name` and `value`, or `ParameterKey` and `ParameterValue`. */
const VALUE = /^(?:parameter)?value$/i;
const LABEL = /^(?:parameter|variable|header)?(?:name|key)$/i;
const SPACE = /[\s,:]/;
const END_OF_WORD = /[\s,:\]}]|$/g;

/**
 * Rewrites texts inside a JSON text. Everything else keeps its spelling: numbers that no double can hold, escapes,
 * order, blanks. Takes no stack, so depth does not matter.
 * @param source - valid JSON.
 */
export function rewriteJson<T>(source: string, top: T, rewriter: JsonRewriter<T>): string {
  const open: { readonly isList: boolean; readonly at: T; label?: string; value?: Token<T> }[] = [];
  let place = top;
  let isName = false;
  let name = '';
  let isFirst = false;
  let told: T | undefined;
  /** By where they begin. */
  const edits = new Map<number, { readonly end: number; readonly by: string }>();
  const rewrite = ({ text, at, end, ...token }: Token<T>): void => {
    const after = rewriter.text(text, token.place);
    if (after !== text) edits.set(at, { end, by: JSON.stringify(after) });
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? '';
    const outer = open.at(-1);
    if (char === ',') isName = outer?.isList === false;
    if (SPACE.test(char)) continue;
    if (char === '{' || char === '[') {
      open.push({ isList: char === '[', at: place });
      isName = char === '{';
    } else if (char === '}' || char === ']') {
      place = open.pop()?.at ?? top;
      isName = false;
    } else if (char === '"') {
      const end = endOfString(source, at);
      const value = decode(source.slice(at, end));
      const token = { text: value, place: told ?? place, at, end };
      told = undefined;
      if (isName) {
        const after = rewriter.name(value);
        if (after !== value) edits.set(at, { end, by: JSON.stringify(after) });
        name = value;
        place = rewriter.enter(name, outer?.at ?? top);
        if (VALUE.test(name) && outer?.label !== undefined) place = rewriter.pair?.(outer.label, place) ?? place;
      } else {
        rewrite(token);
        if (outer?.isList === false) {
          if (VALUE.test(name)) outer.value = token;
          if (LABEL.test(name)) {
            outer.label = value;
            const { value: earlier } = outer;
            const paired = earlier && rewriter.pair?.(value, earlier.place);
            if (earlier && paired && paired !== earlier.place) rewrite({ ...earlier, place: paired });
          }
        } else {
          if (isFirst && open.at(-2)?.isList === true) place = rewriter.pair?.(value, place) ?? place;
          told = rewriter.next?.(value, place);
        }
      }
      isName = false;
      at = end - 1;
    } else {
      END_OF_WORD.lastIndex = at;
      const end = END_OF_WORD.exec(source)?.index ?? source.length;
      const after = /[-\d]/.test(char) ? rewriter.number(source.slice(at, end), place) : undefined;
      if (after !== undefined) edits.set(at, { end, by: JSON.stringify(after) });
      at = end - 1;
    }
    isFirst = char === '[';
  }
  let result = '';
  let written = 0;
  for (const [at, { end, by }] of [...edits].sort(([a], [b]) => a - b)) {
    result += source.slice(written, at) + by;
    written = end;
  }
  return result + source.slice(written);
}

/** A text of the source. */
interface Token<T> {
  readonly text: string;
  readonly place: T;
  readonly at: number;
  /** Index after the closing quote. */
  readonly end: number;
}

/** Index after the closing quote. */
function endOfString(source: string, start: number): number {
  for (let end = source.indexOf('"', start + 1); end !== -1; end = source.indexOf('"', end + 1)) {
    let before = end;
    while (source[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
  return source.length;
}

function decode(token: string): string {
  return token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
}
