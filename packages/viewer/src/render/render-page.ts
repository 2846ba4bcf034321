import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { ViewError } from '../errors.js';
import type { ViewData } from '../model/view-data.js';
import { type ReadOptions, ViewReader } from '../source/view-reader.js';
import { pagePieces } from './page-file.js';

/** What to show: a file, a text, or bytes as they come. */
export type ViewSource =
  | { readonly file: string }
  | { readonly text: string; readonly name?: string }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly name?: string };

export interface RenderOptions extends Omit<ReadOptions, 'onBody'> {
  /** Path of the built page. @defaultValue that of this package */
  readonly template?: string | undefined;
  /** Stops the reading. */
  readonly signal?: AbortSignal | undefined;
}

const SOURCE = '`{ file }`, `{ text, name }` or `{ stream, name }`';

/**
 * What the page shows, as data: frames, requests with their answers, spans, texts, plots and faults. Secrets are taken
 * out as `claudewire record` takes them out. The bodies of the frames are not in it.
 * @throws ViewError `source` is none, or cannot be read.
 */
export async function viewData(source: ViewSource, options: RenderOptions = {}): Promise<ViewData> {
  return (await readSource(source, options)).view();
}

/**
 * One HTML file that shows the source, loads nothing and needs no server.
 * @throws ViewError `source` is none, or cannot be read; the page was not built.
 */
export async function renderPage(source: ViewSource, options: RenderOptions = {}): Promise<string> {
  const reader = await readSource(source, options);
  const { template } = options;
  return [...pagePieces({ data: reader.view(), chunks: reader.bodies.chunks(), template })].join('');
}

/** Reads a source to its end. */
export async function readSource(source: ViewSource, options: RenderOptions = {}): Promise<ViewReader> {
  if (typeof source !== 'object' || source === null) {
    throw new ViewError('source', `\`source\` must be ${SOURCE}, got ${source === null ? 'null' : typeof source}`);
  }
  if (typeof options !== 'object' || options === null) {
    throw new ViewError('options', '`options` must be an object. Leave it out for the defaults.');
  }
  const { template: _, signal, ...reading } = options;
  const reader = new ViewReader(sourceName(source), reading);
  if ('text' in source) {
    if (typeof source.text !== 'string')
      throw new ViewError('source', `\`source.text\` must be a string, got ${typeof source.text}`);
    reader.push(Buffer.from(source.text));
  } else {
    await readStream(reader, source, signal);
  }
  reader.end();
  return reader;
}

async function readStream(
  reader: ViewReader,
  source: Exclude<ViewSource, { readonly text: string }>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stream = 'file' in source ? createReadStream(source.file, { highWaterMark: 1024 * 1024 }) : source.stream;
  if (typeof stream?.[Symbol.asyncIterator] !== 'function') {
    throw new ViewError('source', `\`source\` must be ${SOURCE}`);
  }
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      reader.push(Buffer.from(chunk));
    }
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const name = 'file' in source ? source.file : (source.name ?? 'the stream');
    throw new ViewError('source', `cannot read ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function sourceName(source: ViewSource): string {
  if ('file' in source) {
    if (typeof source.file !== 'string' || source.file === '') {
      throw new ViewError('source', `\`source.file\` must be the path of a file, got ${typeof source.file}`);
    }
    return basename(source.file);
  }
  return source.name ?? 'recording';
}
