/**
 * The prose of a TypeScript file: its comments and its texts, each with the line it begins on. Lines of `//` that follow
 * each other are one comment, and texts with a `+` between them are one text. What stands in a template between `${` and `}` is left out.
 *
 * @returns {{ line: number, text: string }[]}
 */
export function proseIn(source) {
  const found = [];
  let line = 1;
  /** The last piece of prose, as long as the next one may go on with it. */
  let open;
  let isJoined = false;
  for (const { 0: token } of source.matchAll(TOKEN)) {
    const prose = read(token);
    const kind = token.startsWith('//') ? 'line' : 'text';
    if (prose !== undefined) {
      if (open?.kind === kind && isJoined) open.entry.text += ` ${prose}`;
      else found.push({ line, text: prose });
      open = token.startsWith('/*') ? undefined : { kind, entry: found.at(-1) };
      isJoined = kind === 'line';
    } else if (token === '+') isJoined = true;
    else if (token.trim() !== '') open = undefined;
    line += token.split('\n').length - 1;
  }
  return found;
}

/** A comment, a text, a regular expression (after what an expression may follow), blanks, or one other character. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:;!&|?{}[\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*|\s+|\w+|./g;

function read(token) {
  if (token.startsWith('//')) return token.slice(2);
  if (token.startsWith('/*')) return token.slice(2, -2).replace(/^\s*\* ?/gm, '');
  if (/^['"`]./.test(token)) return token.slice(1, -1).replace(/\$\{[^}]*\}/g, ' | ');
  return undefined;
}

/** The words of a text, in lower case. What is between backticks counts as words like any other. */
export function wordsOf(text) {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[a-z0-9_$]+/g) ?? []
  );
}
