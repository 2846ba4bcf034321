import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ViewError } from '../errors.js';
import type { ViewData } from '../model/view-data.js';
import type { BodyChunk } from '../source/bodies.js';
import { packFrames } from './packed.js';

/** The built page beside the package's code. */
const TEMPLATE = fileURLToPath(new URL('../../dist/viewer.html', import.meta.url));
/** By this a page of ours is known again. */
export const GENERATOR = '<meta name="generator" content="claudewire view">';

export interface PageParts {
  readonly data: ViewData;
  readonly chunks: readonly BodyChunk[];
  /** The page asks its server for more. @defaultValue false */
  readonly isLive?: boolean;
  /** Path of the built page. @defaultValue that of this package */
  readonly template?: string | undefined;
}

/** The page in pieces: a large one is better never one string. */
export function* pagePieces({ data, chunks, isLive = false, template }: PageParts): Generator<string, void> {
  const [head, middle, end] = readTemplate(template ?? TEMPLATE);
  const { frames, ...rest } = data;
  const index = JSON.stringify({ ...rest, frames: packFrames(frames), isLive });
  const title = escapeText(`${data.source.name} - claudewire view`);
  yield head
    .replace('<title></title>', () => `<title>${title}</title>`)
    .replace(';live', isLive ? ";connect-src 'self'" : '');
  // Base64 has nothing that ends a script.
  yield `<script type="application/octet-stream" id="index">${gzipSync(index).toString('base64')}</script>`;
  yield middle;
  for (const { first, count, gz } of chunks) {
    const place = `data-first="${first}" data-count="${count}"`;
    yield `<script type="application/octet-stream" class="bodies" ${place}>${gz.toString('base64')}</script>\n`;
  }
  yield end;
}

function readTemplate(file: string): readonly [string, string, string] {
  if (!existsSync(file)) {
    throw new ViewError('template', `there is no built page at ${file}: run \`npm run build\` in packages/viewer`);
  }
  const parts = textOf(file).split(/<!--view:(?:index|bodies)-->/);
  const [head, middle, end] = parts;
  if (head === undefined || middle === undefined || end === undefined || parts.length !== 3) {
    throw new ViewError('template', `${file} is no page of claudewire-viewer: build it again`);
  }
  return [head, middle, end];
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** For the text of an element. Controls become blanks, and so do halves of surrogate pairs. */
export function escapeText(text: string): string {
  return text.replace(/\p{Cc}|\p{Cs}/gu, ' ').replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
