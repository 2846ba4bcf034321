import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { escapeText, GENERATOR } from '../render/page-file.js';

export interface PageOfFile {
  /** Name of the file that it shows. */
  readonly name: string;
  /** Name of the page; absent where it could not be made. */
  readonly page?: string;
  readonly about: string;
  readonly frames: number;
  readonly errors: number;
  readonly warnings: number;
}

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 24px auto; max-width: 1200px; padding: 0 16px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
th:nth-child(n + 3), td:nth-child(n + 3) { text-align: right; font-variant-numeric: tabular-nums; }
td:first-child { white-space: nowrap; font-family: ui-monospace, monospace; }
td:nth-child(2) { overflow-wrap: anywhere; }
`;
const POLICY = `default-src 'none';style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}';base-uri 'none';form-action 'none'`;

/** A list of pages, without a script. */
export function* indexPage(
  folder: string,
  pages: readonly PageOfFile[],
  left: readonly string[],
): Generator<string, void> {
  const title = escapeText(basename(resolve(folder)));
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${GENERATOR}
<title>${title} - claudewire view</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p>${pages.length === 1 ? '1 file' : `${pages.length} files`}</p>
<ul>${left.map((note) => `<li>${escapeText(note)}</li>`).join('')}</ul>
<table><thead><tr><th>file</th><th>about</th><th>frames</th><th>errors</th><th>warnings</th></tr></thead><tbody>
`;
  for (const each of pages) yield rowOf(each);
  yield '</tbody></table>\n</body>\n</html>\n';
}

function rowOf({ name, page, about, frames, errors, warnings }: PageOfFile): string {
  const text = escapeText(name);
  const link = page === undefined ? text : `<a href="${escapeText(encodeURIComponent(page))}">${text}</a>`;
  const cells = [link, escapeText(about), String(frames), String(errors || ''), String(warnings || '')];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
}
