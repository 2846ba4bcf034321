/** Controls, format characters (bidi overrides, tags), line and paragraph separators, lone surrogates. */
const UNSAFE = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/gu;

/** Names of files may have escape sequences of a terminal in them. */
export function printable(text: string): string {
  return text.replace(UNSAFE, '?');
}

/** One line of JSON. A terminal that shows it obeys nothing in it, and it parses to the same value. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
  return `${json}\n`;
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
