import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ViewError } from '../errors.js';
import { parseJson } from '../model/json.js';
import type { ViewData } from '../model/view-data.js';
import { pagePieces } from '../render/page-file.js';
import { readSource } from '../render/render-page.js';
import { ViewReader } from '../source/view-reader.js';
import { kindOfPath, whyOf, writePage } from './files.js';
import { type KeptPlay, keptPlayIn, listFolder, makeOutFolder, newestIn, pageNameOf } from './folder.js';
import { followSource } from './follow.js';
import { indexPage, type PageOfFile } from './index-page.js';
import { openInBrowser } from './open-browser.js';
import { printable, printableJson } from './printable.js';

export interface ViewArguments {
  /** A file, a folder, or `-`. */
  readonly source: string;
  readonly out?: string;
  readonly open: boolean;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export interface ViewHost {
  readonly stdin: Readable;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Path of the built page. */
  readonly template?: string;
}

/**
 * `claudewire view`. Resolves with the exit code.
 * @throws ViewError the arguments or the source cannot be used.
 */
export async function runView(args: ViewArguments, host: ViewHost): Promise<number> {
  checkArguments(args);
  const { source } = args;
  const kind = source === '-' ? 'stdin' : kindOfPath('source', source);
  if (args.follow === true) {
    return followSource(kind === 'folder' ? { ...args, source: fileToFollow(source, host) } : args, host);
  }
  const kept = kind === 'folder' ? keptIn(source) : undefined;
  if (kind === 'folder' && kept === undefined) return viewFolder(args, host);
  const reader = kept === undefined ? await readOne(args, host) : readKept(source, kept);
  const data = reader.view();
  if (args.json === true) {
    host.stdout.write(printableJson(data));
    return 0;
  }
  const out = args.out ?? `${nameOf(source)}.view.html`;
  const { template } = host;
  writePage(out, pagePieces({ data, chunks: reader.bodies.chunks(), template }));
  report(out, summaryText(data), args, host);
  return 0;
}

/** A session that begins later is another one: what is shown does not change to it. */
function fileToFollow(folder: string, { stderr }: ViewHost): string {
  const file = newestOf(folder);
  if (file === undefined) {
    throw new ViewError('source', `${folder} has no .jsonl file to follow: name a file, or - for standard input`);
  }
  stderr.write(`The newest file of the folder is followed: ${printable(basename(file))}\n`);
  return file;
}

function newestOf(folder: string): string | undefined {
  try {
    return newestIn(folder);
  } catch (cause) {
    throw new ViewError('source', `cannot read ${folder}: ${whyOf(cause)}`, { cause });
  }
}

function checkArguments({ source, follow, json, out }: ViewArguments): void {
  if (source === '')
    throw new ViewError('source', 'the source is empty: name a file, a folder, or - for standard input');
  if (json === true && out !== undefined) {
    throw new ViewError('json', '--json writes no page: it cannot be combined with --out. Send its output to a file.');
  }
  if (follow !== true) return;
  if (json === true) throw new ViewError('follow', '--follow cannot be combined with --json');
  if (out !== undefined) throw new ViewError('follow', '--follow serves the page: it cannot be combined with --out');
}

async function readOne({ source }: ViewArguments, { stdin, signal, env }: ViewHost): Promise<ViewReader> {
  if (source === '-') return readSource({ stream: stdin, name: 'stdin' }, { signal, env });
  return readSource({ file: source }, { signal, env });
}

function keptIn(folder: string): KeptPlay | undefined {
  try {
    return keptPlayIn(folder);
  } catch (cause) {
    throw new ViewError('source', `cannot read ${folder}: ${whyOf(cause)}`, { cause });
  }
}

/** The log of a scenario that the conformance suite kept, with its verdicts. */
function readKept(folder: string, { log, verdicts }: KeptPlay): ViewReader {
  const reader = new ViewReader(basename(resolve(folder)));
  try {
    reader.push(readFileSync(log));
    for (const file of verdicts) reader.attach(parseJson(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new ViewError('source', `cannot read ${folder}: ${whyOf(cause)}`, { cause });
  }
  reader.end();
  return reader;
}

async function viewFolder(args: ViewArguments, host: ViewHost): Promise<number> {
  const { source } = args;
  const { files, left } = listFolder(source);
  if (files.length === 0) {
    throw new ViewError('source', `${source} has no .jsonl or .json file: name a folder of recordings, or a file`);
  }
  const out = args.json === true ? undefined : makeOutFolder(args.out ?? `${nameOf(source)}.view`);
  const pages: PageOfFile[] = [];
  for (const name of files) pages.push(await viewOneOf(source, name, out, host));
  if (out === undefined) {
    host.stdout.write(printableJson({ files: pages, left }));
    return 0;
  }
  const index = join(out, 'index.html');
  writePage(index, indexPage(source, pages, left));
  for (const note of left) host.stderr.write(`not shown: ${printable(note)}\n`);
  report(index, `${pages.length} ${pages.length === 1 ? 'file' : 'files'}`, args, host);
  return 0;
}

async function viewOneOf(folder: string, name: string, out: string | undefined, host: ViewHost): Promise<PageOfFile> {
  const { signal, env, template } = host;
  signal.throwIfAborted();
  try {
    const reader = await readSource({ file: join(folder, name) }, { signal, env });
    const data = reader.view();
    const page = pageNameOf(name);
    if (out !== undefined) writePage(join(out, page), pagePieces({ data, chunks: reader.bodies.chunks(), template }));
    const errors = data.faults.filter(({ severity }) => severity === 'error').length;
    const counts = { frames: data.frames.length, errors, warnings: data.faults.length - errors };
    const about = data.source.about ?? data.source.kind;
    return { name, about, ...counts, ...(out === undefined ? {} : { page }) };
  } catch (error) {
    if (!(error instanceof ViewError) || error.argument !== 'source') throw error;
    return { name, about: error.message, frames: 0, errors: 0, warnings: 0 };
  }
}

function report(page: string, summary: string, { open }: ViewArguments, { stdout, env }: ViewHost): void {
  stdout.write(`${printable(page)}: ${summary}\n`);
  if (open && stdout.isTTY === true) openInBrowser(resolve(page), env);
}

function summaryText({ frames, faults, source }: ViewData): string {
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${source.kind}, ${counted(frames.length, 'frame')}, ${counted(errors, 'error')}, ${counted(faults.length - errors, 'warning')}`;
}

function nameOf(source: string): string {
  if (source === '-') return 'stdin';
  return basename(resolve(source)).replace(/\.jsonl?$/i, '') || 'root';
}
