/** What becomes of the parts of a JSON text. `T` says where a part stands. */
export interface JsonRewriter<T> {
  /** The place of a field's value, in an object at `outer`. Entries of a list have the place of the list. */
  enter(name: string, outer: T): T;
  /** The place of what a text names: `value` after `name`, and what follows the first text of a list in a list. */
  pair?(name: string, place: T): T;
  /** The new text; the same text leaves the source unchanged. */
  text(value: string, place: T): string;
  name(value: string): string;
  /** A number as it is written; a text in its place, or `undefined` to keep it. */
  number(source: string, place: T): string | undefined;
}

const SPACE = /[\s,:]/;
const END_OF_WORD = /[\s,:\]}]|$/g;

/**
 * Rewrites texts inside a JSON text. Everything else keeps its spelling: numbers that no double can hold, escapes,
 * order, blanks. Takes no stack, so depth does not matter.
 * @param source - valid JSON.
 */
export function rewriteJson<T>(source: string, top: T, rewriter: JsonRewriter<T>): string {
  const open: { readonly isList: boolean; readonly at: T; label?: string }[] = [];
  let place = top;
  let isName = false;
  let name = '';
  let isFirst = false;
  let written = 0;
  let result = '';
  const put = (from: number, to: number, by: string): void => {
    result += source.slice(written, from) + by;
    written = to;
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
      const after = isName ? rewriter.name(value) : rewriter.text(value, place);
      if (after !== value) put(at, end, JSON.stringify(after));
      if (isName) {
        name = value;
        place = rewriter.enter(name, outer?.at ?? top);
        if (name === 'value' && outer?.label !== undefined) place = rewriter.pair?.(outer.label, place) ?? place;
      } else if (outer?.isList === false) {
        if (name === 'name' || name === 'key') outer.label = value;
      } else if (isFirst && open.at(-2)?.isList === true) place = rewriter.pair?.(value, place) ?? place;
      isName = false;
      at = end - 1;
    } else {
      END_OF_WORD.lastIndex = at;
      const end = END_OF_WORD.exec(source)?.index ?? source.length;
      const after = /[-\d]/.test(char) ? rewriter.number(source.slice(at, end), place) : undefined;
      if (after !== undefined) put(at, end, JSON.stringify(after));
      at = end - 1;
    }
    isFirst = char === '[';
  }
  return result + source.slice(written);
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
