import { rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../../util/json.js';
import { readSmallObject } from '../../files/open-file.js';
import { parseLine, transcriptLines } from '../../files/transcript-lines.js';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../session-store.js';
import { foldSessionSummary } from '../session-summary.js';
import { type AppendedLines, lstatIfThere, openIfThere, writeSmallJson } from './private-files.js';

/** What the first `bytes` bytes of a transcript come to. */
interface FoldedPart {
  readonly bytes: number;
  readonly data: Record<string, unknown>;
}

/** A longer one is folded anew. Titles and prompts in it have no limit of their own. */
const MAX_BYTES = 16 * 1_048_576;

const NOTHING: FoldedPart = { bytes: 0, data: {} };

/**
 * What the file beside a transcript holds: the summary of its first `bytes` bytes. It is a cache that checks itself,
 * so it needs no lock: whoever writes last, the next reader folds in what is missing, and starts over when the file is
 * damaged or belongs to another transcript.
 */
interface Sidecar extends FoldedPart {
  /** Which file it is about: a deleted session may come back under its name. */
  readonly inode: number;
}

/** Where a session's transcript and its sidecar are. */
export interface SummaryPaths {
  readonly transcript: string;
  readonly sidecar: string;
}

/**
 * Folds what was just appended into the sidecar, when that knows all before it; else what is missing is read from the
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
 * The summary that the sidecar has, `stale` when the transcript goes on behind it. `undefined` when there is no
 * transcript, or nothing in it. Does not wait.
 */
export function knownSummary(
  { transcript, sidecar }: SummaryPaths,
  key: SessionKey,
): SessionSummaryEntry | 'stale' | undefined {
  const found = lstatIfThere(transcript);
  if (found === undefined || !found.isFile() || found.size === 0) return undefined;
  const known = readSidecar(sidecar, found.ino, found.size);
  return known?.bytes === found.size ? summaryOf(key, found.mtimeMs, known.data) : 'stale';
}

/**
 * The summary of a transcript as it is now: what the sidecar does not know yet is read and folded into it. `undefined`
 * when there is no transcript.
 */
export async function readSummary(
  paths: SummaryPaths,
  key: SessionKey,
): Promise<SessionSummaryEntry | undefined> {
  const handle = await openIfThere(paths.transcript);
  if (handle === undefined) return undefined;
  try {
    const { size, mtimeMs, ino } = await handle.stat();
    const known = readSidecar(paths.sidecar, ino, size);
    const { bytes, data } =
      (await foldFile(handle, key, known)) ?? (await foldFile(handle, key)) ?? NOTHING;
    if (bytes !== known?.bytes) writeSidecar(paths, { bytes, inode: ino, data });
    return summaryOf(key, mtimeMs, data);
  } finally {
    await handle.close();
  }
}

/** Folds what stands behind `known`. `undefined` when only the whole transcript tells. */
async function foldFile(
  handle: FileHandle,
  key: SessionKey,
  known?: FoldedPart,
): Promise<FoldedPart | undefined> {
  const fold = new TranscriptFold(key, known?.data);
  let bytes = known?.bytes ?? 0;
  for await (const { lines, end } of transcriptLines(handle, {
    start: bytes,
    isLastWhole: false,
  })) {
    fold.add(lines.flatMap((line) => parseLine(line.bytes) ?? []));
    bytes = end;
  }
  const { data } = fold;
  return data && { bytes, data };
}

function summaryOf(
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
 * In place and in one write. Two writers at once can leave a text that is no JSON, and never one that says something
 * else. A folder that cannot be written to costs time, not the answer.
 *
 * The transcript may have been deleted meanwhile, by another process too: looked at after the write, so that either this or the
 * deletion removes the sidecar.
 */
function writeSidecar({ transcript, sidecar: path }: SummaryPaths, sidecar: Sidecar): void {
  try {
    writeSmallJson(path, sidecar);
    if (lstatIfThere(transcript)?.ino !== sidecar.inode) rmSync(path, { force: true });
  } catch {
    // The next reader folds anew.
  }
}

/** Passes on what `load` gives: of entries with the same `uuid` the first one. */
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
 * The summary of a transcript, or of what was appended to one whose beginning is folded already. Repeated entries are left
 * out, as `load` does.
 */
class TranscriptFold {
  readonly #key: SessionKey;
  readonly #repetitions = new Repetitions();
  #summary: SessionSummaryEntry;
  /** Without the entries that may stand before the start too; `undefined` when nothing stands there. */
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
   * `undefined` when an entry with a `uuid` has changed the summary: whether it repeats one from before the start decides, and
   * only the whole transcript tells.
   */
  get data(): Record<string, unknown> | undefined {
    const { data } = this.#summary;
    const isCertain = this.#certain === undefined || isDeepStrictEqual(this.#certain.data, data);
    return isCertain ? data : undefined;
  }
}
