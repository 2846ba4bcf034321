/**
 * Characters that change how text looks without being seen: controls, overrides of the direction, blanks without a
 * width, halves of surrogate pairs, tags, fillers.
 */
const HIDDEN = /\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
/** Where Unicode has pictures of the first 32 characters. */
const PICTURES = 0x2400;

function shown(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
}

/** Text with hidden characters made visible. Line feeds and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => (char === '\n' || char === '\t' ? char : shown(char)));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN, shown);
}
