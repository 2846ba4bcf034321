import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { type Page, pageOf } from '../session-options.js';
import type { SDKSessionInfo } from '../session-types.js';
import { EdgeText } from '../transcript/head-tail.js';
import {
  EDGE_BYTES,
  isProgrammatic,
  relocatedTo,
  rowOfEdges,
  type TranscriptEdges,
} from '../transcript/session-row.js';
import { Slices } from '../yield-to-event-loop.js';
import { archivedState } from './archive-mark.js';
import type { FoundTranscript } from './find-transcript.js';
import { firstCwdOf } from './first-cwd.js';
import { namesIn, readAt, readFrom, statAt } from './open-file.js';
import { isNamesake, type ProjectFolder, transcriptAt, transcriptsIn } from './project-folder.js';

export interface ListingOptions extends Page {
  readonly includeProgrammatic: boolean;
}

/** A transcript in a folder, not yet read. */
interface Candidate {
  readonly sessionId: string;
  readonly path: string;
  readonly project: ProjectFolder;
  /** There is an entry with the session's name, so the session may be archived. */
  readonly hasFolder: boolean;
}

/** The row of one transcript, also of one that began in another directory: the caller named the session. */
export function rowOfTranscript(found: FoundTranscript): SDKSessionInfo | undefined {
  const edges = readEdges(found.path);
  return edges && rowOf({ ...found, hasFolder: true }, edges);
}

/** Rows of all sessions in these folders, newest first, one per id. Yields to the event loop. */
export async function rowsOfFolders(
  projects: readonly ProjectFolder[],
  { limit = 0, offset = 0, includeProgrammatic }: ListingOptions,
): Promise<SDKSessionInfo[]> {
  const slices = new Slices();
  const candidates = (await slices.map(projects, candidatesIn)).flat();
  const read = (candidate: Candidate) => readRow(candidate, includeProgrammatic);
  if (limit <= 0) {
    const rows = await slices.map(candidates, read);
    return pageOf(newestOfEach(rows.filter((row) => row !== undefined)), { offset });
  }
  // A page needs the times of all files, but the contents of only a few.
  const page = new Map<string, SDKSessionInfo>();
  for (const candidate of await byTime(candidates, slices)) {
    if (page.size >= Math.max(0, offset) + limit) break;
    const row = page.has(candidate.sessionId) ? undefined : read(candidate);
    if (row !== undefined) page.set(row.sessionId, row);
    await slices.rest();
  }
  return pageOf([...page.values()], { limit, offset });
}

function candidatesIn(project: ProjectFolder): Candidate[] {
  const names = namesIn(project.path);
  const all = new Set(names);
  return transcriptsIn(project.path, names).map((each) => ({ ...each, project, hasFolder: all.has(each.sessionId) }));
}

function readRow(candidate: Candidate, includeProgrammatic: boolean): SDKSessionInfo | undefined {
  const edges = readEdges(candidate.path) ?? readLinked(candidate.path);
  if (edges === undefined || (!includeProgrammatic && isProgrammatic(edges))) return undefined;
  return isOfNamesake(edges, candidate.project) ? undefined : rowOf(candidate, edges);
}

function rowOf({ sessionId, project, hasFolder }: Omit<Candidate, 'path'>, edges: FileEdges) {
  return rowOfEdges(edges, {
    sessionId,
    lastModified: Math.round(edges.stats.mtimeMs),
    fileSize: edges.stats.size,
    projectDirectory: project.owner?.directory,
    archived: hasFolder ? archivedState(join(project.path, sessionId), edges) : undefined,
  });
}

function isOfNamesake(edges: FileEdges, { owner }: ProjectFolder): boolean {
  if (owner === undefined) return false;
  const { head, tail, path } = edges;
  const cwd =
    relocatedTo(edges) ?? head.first('cwd', false) ?? (head === tail ? undefined : firstCwdOf(path, EDGE_BYTES));
  return cwd !== undefined && isNamesake(cwd, owner);
}

/** A link's target is checked before it is opened. Links are rare, so files are not checked for being one. */
function readLinked(path: string): FileEdges | undefined {
  const target = transcriptAt(path);
  return target === undefined || target === path ? undefined : readEdges(target);
}

interface FileEdges extends TranscriptEdges {
  readonly path: string;
  readonly stats: Stats;
}

/** One buffer for all files: the text of an edge is a copy. */
let edgeBuffer: Buffer | undefined;

/** Beginning and end of a file. `undefined` for one that cannot be read, is not regular, or is empty. */
export function readEdges(path: string): FileEdges | undefined {
  return readFrom(path, (descriptor, stats) => {
    if (stats.size === 0) return undefined;
    edgeBuffer ??= Buffer.allocUnsafeSlow(EDGE_BYTES);
    const buffer = edgeBuffer;
    const edgeAt = (position: number) => new EdgeText(readAt(descriptor, buffer, position));
    const head = edgeAt(0);
    return { head, tail: stats.size <= EDGE_BYTES ? head : edgeAt(stats.size - EDGE_BYTES), stats, path };
  });
}

/** Existing files, newest first. */
async function byTime(candidates: readonly Candidate[], slices: Slices): Promise<Candidate[]> {
  const timed = await slices.map(candidates, (candidate) => {
    const stats = statAt(candidate.path);
    return stats === undefined ? [] : [{ ...candidate, lastModified: Math.round(stats.mtimeMs) }];
  });
  return timed.flat().sort(newestFirst);
}

function newestOfEach(rows: SDKSessionInfo[]): SDKSessionInfo[] {
  rows.sort(newestFirst);
  const seen = new Set<string>();
  return rows.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

type Timed = Pick<SDKSessionInfo, 'sessionId' | 'lastModified'>;

/** In the same millisecond by id, so that pages do not overlap. */
function newestFirst(one: Timed, other: Timed): number {
  if (one.lastModified !== other.lastModified) return other.lastModified - one.lastModified;
  if (one.sessionId === other.sessionId) return 0;
  return one.sessionId < other.sessionId ? -1 : 1;
}
