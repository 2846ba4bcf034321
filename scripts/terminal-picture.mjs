/** Draws what is on a terminal, with its colours, as an SVG. */

const CHARACTER = 7.25;
const LINE = 18;
const MARGIN = 20;
const TEXT = '#c9d1d9';
/** By the number of the escape sequence that sets it. */
const COLORS = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#ffa657',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#79c0ff',
  90: '#8b949e',
};
const DIM = '#8b949e';

/**
 * @param {readonly string[]} lines - As `tmux capture-pane -e` gives them: SGR sequences and no others.
 * @param {{ columns: number, label: string }} options
 * @returns {string} the SVG.
 */
export function drawTerminal(lines, { columns, label }) {
  const width = Math.ceil(columns * CHARACTER) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  let style = {};
  const texts = lines.map((line, index) => {
    const y = MARGIN + (index + 1) * LINE - 5;
    let cells = 0;
    const spans = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is read
    for (const [, sequence, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
      if (text === undefined) {
        for (const code of sequence.split(';')) style = restyled(style, Number(code));
        continue;
      }
      // Browsers drop blanks at the edges of a text.
      const from = cells + text.length - text.trimStart().length;
      cells += [...text].length;
      if (text.trim() === '') continue;
      const color = style.color ?? (style.isDim ? DIM : TEXT);
      const weight = style.isBold ? ' font-weight="bold"' : '';
      const x = MARGIN + from * CHARACTER;
      spans.push(`<text x="${x}" y="${y}" fill="${color}"${weight}>${escaped(text.trim())}</text>`);
    }
    return spans.join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12" xml:space="preserve">
${texts.filter((text) => text !== '').join('\n')}
</g>
</svg>
`;
}

function restyled(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 39) return { ...style, color: undefined };
  return COLORS[code] === undefined ? style : { ...style, color: COLORS[code] };
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
