import { rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../../util/json.js';
import { readSmallObject } from '../../files/open-file.js';
import { entriesOf, transcriptLines } from '../../files/transcript-lines.js';
import { foldSessionSummary } from '../fold-session-summary.js';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../session-store.js';
import { type AppendedLines, lstatIfThere, openIfThere, writeSmallJson } from './private-files.js';

/** The summary of the first `bytes` bytes of a transcript. */
interface FoldedPart {
  readonly bytes: number;
  readonly data: Record<string, unknown>;
}

/** A longer file is ignored and rebuilt. Titles and prompts have no limit of their own. */
const MAX_BYTES = 16 * 1_048_576;

const NOTHING: FoldedPart = { bytes: 0, data: {} };

/**
 * Content of the file beside a transcript: the summary of its first `bytes` bytes. A cache that checks itself, so it
 * needs no lock: the next reader adds the missing entries, and starts over when the file is damaged or belongs to
 * another transcript.
 */
interface Sidecar extends FoldedPart {
  /** Identifies the transcript: a deleted session may come back under its name. */
  readonly inode: number;
}

/** Where a session's transcript and its sidecar are. */
export interface SummaryPaths {
  readonly transcript: string;
  readonly sidecar: string;
}

/**
 * Adds the appended entries to the sidecar when it covers all before them; else reads the missing ones from the
 * transcript.
 */
export async function foldAppended(
  paths: SummaryPaths,
  key: SessionKey,
  entries: SessionStoreEntry[],
  { inode, start, end }: AppendedLines,
): Promise<void> {
  const known = start === 0 ? undefined : readSidecar(paths.sidecar, inode, start);
  const fold = new TranscriptFold(key, known?.data);
  fold.add(entries);
  const { data } = fold;
  if (end === undefined || data === undefined || (known?.bytes ?? 0) !== start) {
    await readSummary(paths, key);
    return;
  }
  writeSidecar(paths, { bytes: end, inode, data });
}

/**
 * The summary in the sidecar, `stale` when the transcript is longer. `undefined` when there is no transcript, or
 * nothing in it. Does not wait.
 */
export function knownSummary(
  { transcript, sidecar }: SummaryPaths,
  key: SessionKey,
): SessionSummaryEntry | 'stale' | undefined {
  const found = lstatIfThere(transcript);
  if (found === undefined || !found.isFile() || found.size === 0) return undefined;
  const known = readSidecar(sidecar, found.ino, found.size);
  return known?.bytes === found.size ? sidecarSummary(key, found.mtimeMs, known.data) : 'stale';
}

/**
 * The current summary of a transcript: entries that the sidecar lacks are read and added. `undefined` when there is no
 * transcript.
 */
export async function readSummary(paths: SummaryPaths, key: SessionKey): Promise<SessionSummaryEntry | undefined> {
  const handle = await openIfThere(paths.transcript);
  if (handle === undefined) return undefined;
  try {
    const { size, mtimeMs, ino } = await handle.stat();
    const known = readSidecar(paths.sidecar, ino, size);
    const { bytes, data } = (await foldFile(handle, key, known)) ?? (await foldFile(handle, key)) ?? NOTHING;
    if (bytes !== known?.bytes) writeSidecar(paths, { bytes, inode: ino, data });
    return sidecarSummary(key, mtimeMs, data);
  } finally {
    await handle.close();
  }
}

/** Adds the entries after `known`. `undefined` when the whole transcript is needed. */
async function foldFile(handle: FileHandle, key: SessionKey, known?: FoldedPart): Promise<FoldedPart | undefined> {
  const fold = new TranscriptFold(key, known?.data);
  let bytes = known?.bytes ?? 0;
  for await (const batch of transcriptLines(handle, { start: bytes, isLastWhole: false })) {
    fold.add(entriesOf(batch));
    bytes = batch.end;
  }
  const { data } = fold;
  return data && { bytes, data };
}

function sidecarSummary(
  { sessionId }: SessionKey,
  mtimeMs: number,
  data: Record<string, unknown>,
): SessionSummaryEntry {
  return { sessionId, mtime: Math.floor(mtimeMs), data };
}

function readSidecar(path: string, ino: number, size: number): Sidecar | undefined {
  const value = readSmallObject(path, MAX_BYTES);
  if (value === undefined) return undefined;
  const { bytes, inode, data } = value;
  if (typeof bytes !== 'number' || inode !== ino || !isJsonObject(data)) return undefined;
  return bytes >= 0 && bytes <= size ? { bytes, inode: ino, data } : undefined;
}

/**
 * In place and in one write. Two writers at once can leave invalid JSON, but never a wrong summary. A read-only folder
 * costs time, not the answer. The transcript may be deleted meanwhile, also by another process. It is checked after the
 * write, so that either this or the deletion removes the sidecar.
 */
function writeSidecar({ transcript, sidecar: path }: SummaryPaths, sidecar: Sidecar): void {
  try {
    writeSmallJson(path, sidecar);
    if (lstatIfThere(transcript)?.ino !== sidecar.inode) rmSync(path, { force: true });
  } catch {
    // The next reader rebuilds it.
  }
}

/** Drops repeated entries as `load` does: of entries with the same `uuid`, the first one counts. */
export class Repetitions {
  readonly #seen = new Set<string>();

  isNew({ uuid }: SessionStoreEntry): boolean {
    if (typeof uuid !== 'string') return true;
    if (this.#seen.has(uuid)) return false;
    this.#seen.add(uuid);
    return true;
  }
}

/**
 * The summary of a transcript, or of entries appended after a known summary. Repeated entries are left out, as `load`
 * does.
 */
class TranscriptFold {
  readonly #key: SessionKey;
  readonly #repetitions = new Repetitions();
  #summary: SessionSummaryEntry;
  /** Without the entries that may also be before the start; `undefined` when the start is 0. */
  #certain: SessionSummaryEntry | undefined;

  /** @param before - What the summary says of all before the start; `undefined` at the beginning of a transcript. */
  constructor(key: SessionKey, before: Record<string, unknown> | undefined) {
    this.#key = key;
    this.#summary = { sessionId: key.sessionId, mtime: 0, data: before ?? {} };
    this.#certain = before && this.#summary;
  }

  add(entries: readonly SessionStoreEntry[]): void {
    const fresh = entries.filter((entry) => this.#repetitions.isNew(entry));
    this.#summary = foldSessionSummary(this.#summary, this.#key, fresh);
    if (this.#certain === undefined) return;
    const unnamed = fresh.filter(({ uuid }) => typeof uuid !== 'string');
    this.#certain = foldSessionSummary(this.#certain, this.#key, unnamed);
  }

  /**
   * `undefined` when an entry with a `uuid` has changed the summary: it may repeat one from before the start, and only
   * the whole transcript shows that.
   */
  get data(): Record<string, unknown> | undefined {
    const { data } = this.#summary;
    const isCertain = this.#certain === undefined || isDeepStrictEqual(this.#certain.data, data);
    return isCertain ? data : undefined;
  }
}
