import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TranscriptEdges, wasPromptedAfter } from '../transcript/session-row.js';
import { lstatAt, readSmallObject } from './open-file.js';

const FILE_NAME = 'archived.json';
const MAX_BYTES = 65_536;

/** A date with a time of day. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Whether a session is archived. `undefined`: never; `false`: it was, and was unarchived or used since. */
export function archivedState(sessionFolder: string, edges: TranscriptEdges): boolean | undefined {
  // A link could lead anywhere.
  if (lstatAt(sessionFolder)?.isDirectory() !== true) return undefined;
  const mark = readMark(join(sessionFolder, FILE_NAME));
  if (mark === undefined) return undefined;
  return mark.archived && !wasPromptedAfter(edges, Date.parse(mark.at));
}

/** A mark that is broken, too long or not a file counts as absent. */
function readMark(path: string): { readonly archived: boolean; readonly at: string } | undefined {
  const { archived, at } = readSmallObject(path, MAX_BYTES) ?? {};
  if (typeof archived !== 'boolean' || typeof at !== 'string') return undefined;
  return ISO_TIME.test(at) && !Number.isNaN(Date.parse(at)) ? { archived, at } : undefined;
}

/** Replaces the mark atomically. */
export function writeArchiveMark(sessionFolder: string, archived: boolean): void {
  mkdirSync(sessionFolder, { recursive: true, mode: 0o700 });
  // A link could lead anywhere.
  if (!lstatSync(sessionFolder).isDirectory()) {
    throw Object.assign(new Error('the folder of the session is a symbolic link'), { code: 'ELOOP' });
  }
  const mark = { archived, at: new Date().toISOString(), by: 'sdk' };
  const temporary = join(sessionFolder, `.${FILE_NAME}.${crypto.randomUUID()}`);
  try {
    writeFileSync(temporary, JSON.stringify(mark), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, join(sessionFolder, FILE_NAME));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
