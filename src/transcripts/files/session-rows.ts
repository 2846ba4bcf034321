import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Page, pageOf } from '../session-options.js';
import type { SDKSessionInfo } from '../session-types.js';
import { isSessionId } from '../transcript/entry.js';
import { isProgrammatic, rowOfEdges } from '../transcript/session-row.js';
import { Slices } from '../yield-to-event-loop.js';
import { archivedState } from './archive-mark.js';
import { type FoundTranscript, transcriptAt } from './find-transcript.js';
import { statAt } from './open-file.js';
import type { ProjectFolder } from './project-folders.js';
import { EdgeReader, type FileEdges } from './read-head-tail.js';

const SUFFIX = '.jsonl';

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

/** The row of one transcript. */
export function rowOfTranscript(found: FoundTranscript): SDKSessionInfo | undefined {
  return readRow({ ...found, hasFolder: true }, new EdgeReader(), true);
}

/** Rows of all sessions in these folders, newest first, one per id. Yields to the event loop. */
export async function rowsOfFolders(
  projects: readonly ProjectFolder[],
  { limit = 0, offset = 0, includeProgrammatic }: ListingOptions,
): Promise<SDKSessionInfo[]> {
  const slices = new Slices();
  const candidates = (await slices.map(projects, candidatesIn)).flat();
  const reader = new EdgeReader();
  const read = (candidate: Candidate) => readRow(candidate, reader, includeProgrammatic);
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
  let names: string[];
  try {
    names = readdirSync(project.path);
  } catch {
    return [];
  }
  const all = new Set(names);
  return names.flatMap((name) => {
    const sessionId = name.slice(0, -SUFFIX.length);
    if (!name.endsWith(SUFFIX) || !isSessionId(sessionId)) return [];
    return [{ sessionId, path: `${project.path}${sep}${name}`, project, hasFolder: all.has(sessionId) }];
  });
}

function readRow(
  { sessionId, path, project, hasFolder }: Candidate,
  reader: EdgeReader,
  includeProgrammatic: boolean,
): SDKSessionInfo | undefined {
  const edges = reader.read(path) ?? readLinked(path, reader);
  if (edges === undefined || (!includeProgrammatic && isProgrammatic(edges))) return undefined;
  if (project.isGuess && !isAbout(edges.head.first('cwd'), project)) return undefined;
  return rowOfEdges(edges, {
    sessionId,
    lastModified: Math.round(edges.stats.mtimeMs),
    fileSize: edges.stats.size,
    projectDirectory: project.directory,
    archived: hasFolder ? archivedState(join(project.path, sessionId), edges) : undefined,
  });
}

/** A link's target is checked before it is opened. Links are rare, so files are not checked for being one. */
function readLinked(path: string, reader: EdgeReader): FileEdges | undefined {
  const target = transcriptAt(path);
  return target === undefined || target === path ? undefined : reader.read(target);
}

function isAbout(cwd: string | undefined, { directory }: ProjectFolder): boolean {
  return cwd === undefined || cwd.normalize() === directory?.normalize();
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
