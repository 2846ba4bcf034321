/**
 * Text of others (the model, tools, file names, errors) for a terminal. Each character that steers a terminal or hides
 * text is replaced by one that can be seen. Nothing is dropped: the reader sees that it was there.
 */

/** Controls, format characters (bidi overrides, tags), line and paragraph separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Line feed and tab; the joiners that emoji and some scripts are written with. */
const HARMLESS = new Set(['\n', '\t', '\u200c', '\u200d']);
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = '\u2421';

/** @returns the text without a character that a terminal obeys; line feeds and tabs stay, CR LF becomes LF. */
export function safeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, picture);
}

function picture(character: string): string {
  if (HARMLESS.has(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  if (code === 0x7f) return DELETE_PICTURE;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** `safeText` for text that comes in pieces: the result does not depend on where it was cut. */
export class SafeStream {
  #held = '';

  /** @returns what can be shown now. A CR or half a character at the end waits for the next piece. */
  push(piece: string): string {
    const text = this.#held + piece;
    const cut = /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#held = text.slice(cut);
    return safeText(text.slice(0, cut));
  }

  /** @returns what still waits. */
  end(): string {
    const rest = safeText(this.#held);
    this.#held = '';
    return rest;
  }
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const NARROWEST = /[\p{Mn}\p{Me}\u200c\u200d]/u;
/** More than any line of a terminal shows: a tool may have megabytes to say. */
const MAX_READ = 4_000;

/**
 * The beginning of a text as one safe line.
 * @param columns - Cells of a terminal that it may take: East Asian characters and emoji take two.
 */
export function oneLine(text: string, columns: number): string {
  const line = safeText(text.slice(0, MAX_READ).replace(/\s+/g, ' ').trim());
  let used = 0;
  let end = 0;
  /** Where there is room for the sign that something was cut. */
  let cut = 0;
  for (const character of line) {
    used += cellsOf(character);
    if (used > columns) return `${line.slice(0, cut)}…`;
    end += character.length;
    if (used < columns) cut = end;
  }
  return text.length > MAX_READ ? `${line.slice(0, cut)}…` : line;
}

/** Cells of a terminal that a safe line takes. */
export function cellsOf(line: string): number {
  let cells = 0;
  for (const character of line) cells += NARROWEST.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return cells;
}

/** One line of JSON. A terminal that shows it obeys nothing in it, and it parses to the same value. */
export function jsonLine(value: unknown): string {
  return `${harmlessJson(JSON.stringify(value))}\n`;
}

/** JSON with escapes for what a terminal obeys. It parses to the same value. */
export function harmlessJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    HARMLESS.has(character)
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
