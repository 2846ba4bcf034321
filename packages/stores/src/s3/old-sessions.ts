import type { S3Calls } from './calls.js';
import { byFolder, hide, removeHidden, segmentsIn } from './folder.js';
import { type Segment, segmentOf } from './segments.js';

/** One call may take so long at most, so that nothing that was begun before is still under way. */
const SETTLED_MS = 3_600_000;

/** Where the transcripts of a session are. */
interface Place {
  readonly folders: readonly string[];
  /** When it was changed last, in epoch milliseconds by the clock of S3. */
  readonly changedAt: number;
  readonly hasEntries: boolean;
}

/**
 * Deletes the sessions below a folder of a tenant that nobody has appended to since a time, and what deletions have left.
 * Each page of the listing and each session has the time of one call.
 *
 * @param root - Of the tenant.
 * @param before - Epoch milliseconds.
 * @returns how many.
 */
export async function deleteOldSessions(calls: S3Calls, root: string, before: number): Promise<number> {
  const { places, newest } = await placesIn(calls, root);
  let deleted = 0;
  for (const { folders, changedAt, hasEntries } of places) {
    if (changedAt >= before) continue;
    if (hasEntries && (await deleteSession(calls, folders, before))) deleted += 1;
    // By the clock of S3, which is at least as late as the newest object.
    else if (!hasEntries && changedAt < newest - SETTLED_MS) await sweep(calls, folders);
  }
  return deleted;
}

async function placesIn(calls: S3Calls, root: string) {
  const places = new Map<string, Place>();
  let newest = 0;
  let after: string | undefined;
  do {
    const page = await calls.attempt('Looking for old sessions', (end) => calls.page(root, end, after));
    for (const object of page.objects) {
      const segment = segmentOf(object);
      newest = Math.max(newest, object.changedAt);
      if (segment === undefined) continue;
      const [project, , session] = object.key.slice(root.length).split('/');
      const name = `${project}/${session}`;
      const { changedAt = 0, hasEntries = false } = places.get(name) ?? {};
      places.set(name, {
        folders: ['below', 'main'].map((kind) => `${root}${project}/${kind}/${session}/`),
        changedAt: Math.max(changedAt, segment.appendedAt),
        hasEntries: hasEntries || segment.kind !== 'deleted',
      });
    }
    after = page.next;
  } while (after !== undefined);
  return { places: [...places.values()], newest };
}

/**
 * S3 cannot delete on a condition, so this is done by order: look, hide, look again. An append that was made in between
 * is seen by the second look, and then all is shown again; one that is made after it notices that its number is gone.
 *
 * @returns false: somebody has appended to it, and it is kept.
 */
async function deleteSession(calls: S3Calls, folders: readonly string[], before: number): Promise<boolean> {
  const what = 'Deleting old sessions';
  const look = (): Promise<readonly Segment[]> =>
    calls.attempt(what, async (end) =>
      (await Promise.all(folders.map((folder) => segmentsIn(calls, folder, end)))).flat(),
    );
  const seen = await look();
  if (seen.some(({ appendedAt }) => appendedAt >= before)) return false;
  const hiding = await calls.attempt(what, (end) => hide(calls, seen, end));
  const now = await look();
  const known = new Set(seen.map(({ key }) => key));
  if (now.some(({ kind, key }) => kind === 'append' && !known.has(key))) {
    await calls.attempt(what, (end) => calls.delete(hiding, end));
    return false;
  }
  await calls.attempt(what, (end) => removeHidden(calls, now, end));
  // Else it was deleted before, and this was what had been left of it.
  return hiding.length > 0;
}

/** Removes what says that something is deleted, where nothing is left that it could hide. */
async function sweep(calls: S3Calls, folders: readonly string[]): Promise<void> {
  await calls.attempt('Deleting old sessions', async (end) => {
    for (const folder of folders) {
      for (const own of byFolder(await segmentsIn(calls, folder, end)).values()) {
        if (own.every(({ kind }) => kind === 'deleted')) {
          await calls.delete(
            own.map(({ key }) => key),
            end,
          );
        }
      }
    }
  });
}
