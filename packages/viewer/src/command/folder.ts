import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { ViewError } from '../errors.js';
import { whyOf } from './files.js';

/** Pages that are made of one folder. */
const MAX_PAGES = 500;
const MAX_NOTES = 50;
/** Bytes of a page's name. File systems allow 255, and a draft of the page has a longer name. */
const MAX_NAME_BYTES = 200;

/** What is in a folder that can be shown. */
export interface FolderListing {
  /** Names, sorted. */
  readonly files: readonly string[];
  /** What is not shown, and why. */
  readonly left: readonly string[];
}

/** What `claudewire-conformance run --keep` has kept. */
export interface KeptPlay {
  readonly log: string;
  readonly verdicts: readonly string[];
}

/** The log of the CLI lane and its verdicts, when the folder is such a one. Links that lead out of it are left. */
export function keptPlayIn(folder: string): KeptPlay | undefined {
  const [log, cli] = [join(folder, 'log.jsonl'), join(folder, 'cli')];
  if (!existsSync(log) || !existsSync(cli)) return undefined;
  const root = realpathSync(folder);
  const isOwn = (path: string): boolean => realpathSync(path).startsWith(join(root, sep)) && statSync(path).isFile();
  if (!isOwn(log)) return undefined;
  const verdicts = readdirSync(cli)
    .filter((name) => /^verdict-\d+\.json$/.test(name))
    .sort()
    .map((name) => join(cli, name));
  return { log, verdicts: verdicts.filter(isOwn) };
}

/** The recordings, transcripts and reports of a folder, without its subfolders. Links that lead out of it are left. */
export function listFolder(folder: string): FolderListing {
  const root = realpathSync(folder);
  const left: string[] = [];
  const files = readdirSync(root)
    .filter((name) => /\.jsonl?$/i.test(name))
    .sort()
    .filter((name) => {
      const why = reasonToLeave(root, join(root, name));
      if (why !== undefined && why !== '') left.push(`${name}: ${why}`);
      return why === undefined;
    });
  if (left.length > MAX_NOTES) left.splice(MAX_NOTES, left.length, `${left.length - MAX_NOTES} more files like these`);
  const more = files.length - MAX_PAGES;
  if (more > 0)
    left.push(`${more} more files: only the first ${MAX_PAGES} are made into pages. Name one of the others.`);
  return { files: files.slice(0, MAX_PAGES), left };
}

/** Path of the file of lines that was written last; `undefined` without one. Links that lead out are left. */
export function newestIn(folder: string): string | undefined {
  const root = realpathSync(folder);
  let newest: { readonly path: string; readonly at: number } | undefined;
  for (const name of readdirSync(root).sort()) {
    const path = join(root, name);
    if (!/\.jsonl$/i.test(name) || reasonToLeave(root, path) !== undefined) continue;
    // One that is removed meanwhile is not the newest.
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
    if (newest === undefined || at >= newest.at) newest = { path, at };
  }
  return newest?.path;
}

/** `undefined`: none. Empty: nothing worth a word. */
function reasonToLeave(root: string, path: string): string | undefined {
  try {
    if (lstatSync(path).isSymbolicLink() && !realpathSync(path).startsWith(join(root, sep))) {
      return 'a link that leads out of the folder';
    }
    return statSync(path).isFile() ? undefined : '';
  } catch (error) {
    return whyOf(error);
  }
}

/** @throws ViewError it cannot be made, or is something else. */
export function makeOutFolder(folder: string): string {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true });
    return path;
  } catch (cause) {
    throw new ViewError('out', `cannot make the folder ${folder}: ${whyOf(cause)}`, { cause });
  }
}

/** Name of the page of a file. A long one is cut, with a part of its hash so that no two are the same. */
export function pageNameOf(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return `${name}.html`;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  // Four bytes are the most that a character takes.
  return `${[...name].slice(0, MAX_NAME_BYTES / 4).join('')}-${hash}.html`;
}
