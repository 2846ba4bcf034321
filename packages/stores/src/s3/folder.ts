import { StoreError } from '../errors.js';
import type { S3Calls } from './calls.js';
import { currentOf, deletedName, lastNumber, mergedName, type Segment, segmentOf } from './segments.js';

/** What is in a folder, which is that of one transcript or one above several. */
export async function segmentsIn(calls: S3Calls, folder: string, end: number): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  for await (const object of calls.list(folder, end)) {
    const segment = segmentOf(object);
    if (segment !== undefined) segments.push(segment);
  }
  return segments;
}

/** By the folders of their transcripts. */
export function byFolder(segments: readonly Segment[]): ReadonlyMap<string, readonly Segment[]> {
  const folders = new Map<string, Segment[]>();
  for (const segment of segments) {
    const folder = segment.key.slice(0, segment.key.lastIndexOf('/') + 1);
    const own = folders.get(folder);
    if (own === undefined) folders.set(folder, [segment]);
    else own.push(segment);
  }
  return folders;
}

/**
 * Its number may have been used, merged or deleted since it was looked up, and then the object counts for nothing.
 *
 * @throws StoreError `conflict`: the append has to be made again, with another number.
 */
export async function checkCounts(
  calls: S3Calls,
  folder: string,
  number: number,
  name: string,
  end: number,
): Promise<void> {
  // First merged ones from this number on, then all that say what is deleted, then appends.
  for await (const object of calls.list(folder, end, folder + mergedName(number, 0), 3)) {
    const segment = segmentOf(object);
    if (segment?.kind === 'append') return;
    if (segment !== undefined && segment.number >= number) {
      throw new StoreError('conflict', `${name} was compacted or deleted at the same time.`);
    }
  }
}

/**
 * Says of every transcript that is there that it is deleted, up to its last number. From then on nobody sees it, and a
 * writer that comes too late with one of these numbers notices, and takes another.
 *
 * @returns the keys of what says so.
 */
export async function hide(calls: S3Calls, segments: readonly Segment[], end: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const [folder, own] of byFolder(segments)) {
    if (currentOf(own).length === 0) continue;
    const key = folder + deletedName(lastNumber(own));
    await calls.create(key, '{}\n', end).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
    keys.push(key);
  }
  return keys;
}

/**
 * Removes what is hidden, and not what hides it: a compaction that began before may still write the transcript anew.
 * {@link S3SessionStore.deleteOlderThan} removes that, later.
 */
export async function removeHidden(calls: S3Calls, segments: readonly Segment[], end: number): Promise<void> {
  const keys = [...byFolder(segments).values()].flatMap((own) => {
    const gone = lastNumber(own.filter(({ kind }) => kind === 'deleted'));
    return own.filter(({ kind, number }) => (kind === 'deleted' ? number < gone : number <= gone));
  });
  await calls.delete(
    keys.map(({ key }) => key),
    end,
  );
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && ['PreconditionFailed', 'ConditionalRequestConflict'].includes(error.name);
}
