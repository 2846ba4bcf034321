import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { ViewError } from '../errors.js';
import { whyOf } from './files.js';

/** Pages that are made of one folder. */
const MAX_PAGES = 500;
const MAX_NOTES = 50;

/** What is in a folder that can be shown. */
export interface FolderListing {
  /** Names, sorted. */
  readonly files: readonly string[];
  /** What is not shown, and why. */
  readonly left: readonly string[];
}

/** A folder that `claudewire-conformance run --keep` has kept: the log of its CLI lane is in it. */
export function keptLogIn(folder: string): string | undefined {
  const log = join(folder, 'log.jsonl');
  return existsSync(log) && existsSync(join(folder, 'cli')) ? log : undefined;
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

/** `undefined`: none. Empty: nothing worth a word. */
function reasonToLeave(root: string, path: string): string | undefined {
  try {
    if (lstatSync(path).isSymbolicLink() && !realpathSync(path).startsWith(root + sep)) {
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
