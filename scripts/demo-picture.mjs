#!/usr/bin/env node
/**
 * Draws `docs/demo.svg`, the picture in the README, from the output of the demo that `docs/getting-started.md` shows. A
 * test compares that text with what the demo prints.
 *
 *   node scripts/demo-picture.mjs            writes it
 *   node scripts/demo-picture.mjs --check    exits with 1 if the picture is another one
 */
import { readFileSync, writeFileSync } from 'node:fs';

const page = new URL('../docs/getting-started.md', import.meta.url);
const picture = new URL('../docs/demo.svg', import.meta.url);

const COLUMNS = 110;
const CHARACTER = 7.25;
const LINE = 18;
const MARGIN = 20;
/** Where the first column of the output ends. */
const LABEL = 12;
const COLORS = { done: '#7ee787', error: '#ff7b72', hint: '#ffa657', permission: '#d2a8ff', prompt: '#79c0ff' };

/** @returns the picture of this output, without the hints at its end. */
function draw(output) {
  const lines = output.slice(0, output.indexOf('\ntry next')).trimEnd().split('\n').map(shorten);
  const width = Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.map((line, index) => {
    const label = line.slice(0, LABEL).trim();
    const rest = line.slice(LABEL);
    const color = /^\d of/.test(label) ? '#ffffff' : (COLORS[label] ?? '#c9d1d9');
    const y = MARGIN + (index + 1) * LINE - 5;
    return [
      `<text x="${MARGIN}" y="${y}" fill="#8b949e">${escaped(label)}</text>`,
      `<text x="${MARGIN + LABEL * CHARACTER}" y="${y}" fill="${color}">${escaped(rest)}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Output of the demo">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`;
}

/** @returns the output of the demo as the guide shows it. */
function shownOutput() {
  return /^```text\n(demo {8}[\s\S]*?)^```$/m.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
}

function shorten(line) {
  return line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const drawn = draw(shownOutput());
if (!process.argv.includes('--check')) writeFileSync(picture, drawn);
else if (readFileSync(picture, 'utf8') !== drawn) {
  console.error('docs/demo.svg does not show what docs/getting-started.md says: run node scripts/demo-picture.mjs');
  process.exitCode = 1;
}
