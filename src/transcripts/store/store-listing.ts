import { SessionStoreError } from '../../errors.js';
import { isStoredNamesake, realDirectory } from '../files/project-folder.js';
import { type Page, pageOf } from '../session-options.js';
import type { SDKSessionInfo } from '../session-types.js';
import { rowOfEntries, rowOfSummary } from './fold-session-summary.js';
import { mapLimited } from './map-limited.js';
import type { SessionStore, SessionSummaryEntry } from './session-store.js';
import { type ListedSession, listStored, listSummaries, loadEntries } from './store-answers.js';
import { hasMethod, missingMethod } from './store-call.js';

/** How many sessions are loaded at once. */
const LOADS_AT_ONCE = 16;

export interface StoreListing extends Page {
  readonly projectKey: string;
  /** The `cwd` of rows whose entries name none. @defaultValue the working directory */
  readonly directory?: string | undefined;
}

/** A session with its summary, or without one that is up to date. */
interface Candidate extends ListedSession {
  readonly summary?: SessionSummaryEntry;
}

/**
 * The sessions of a project, most recently changed first. With `listSessionSummaries` one or two calls; sessions whose
 * summary is missing or older than the session are loaded, if they are on the page.
 *
 * `limit` and `offset` count the sessions that the store lists. One that is not shown (a sidechain, or no prompt in it)
 * leaves its page shorter. A session that cannot be loaded has an empty `summary`.
 * @throws {@link InvalidOptionError} the store can list neither sessions nor summaries.
 * @throws {@link SessionStoreError} a call took too long, or a store returned something that is not a listing.
 * @throws what the store rejected a listing with.
 */
export async function listSessionsFromStore(store: SessionStore, listing: StoreListing): Promise<SDKSessionInfo[]> {
  const projectDirectory = realDirectory(listing.directory ?? '.');
  const isOwn = (cwd: unknown) => !isStoredNamesake(cwd, projectDirectory);
  const candidates = (await candidatesOf(store, listing)).filter(({ summary }) => isOwn(summary?.data.cwd));
  // The sort is stable: sessions changed at the same time keep the store's order.
  candidates.sort((a, b) => b.mtime - a.mtime);
  const rows = await mapLimited(pageOf(candidates, listing), LOADS_AT_ONCE, (candidate) =>
    listedRow(store, listing, candidate, projectDirectory),
  );
  return rows.filter((row) => row !== undefined).filter(({ cwd }) => isOwn(cwd));
}

async function candidatesOf(store: SessionStore, { projectKey }: StoreListing): Promise<Candidate[]> {
  if (!hasMethod(store, 'listSessionSummaries')) {
    if (!hasMethod(store, 'listSessions')) throw missingMethod('listSessions', store.listSessions, 'list sessions');
    return withNewestTimes(await listStored(store, projectKey));
  }
  const summaries = withNewestTimes(await listSummaries(store, projectKey)).map((summary) => ({
    sessionId: summary.sessionId,
    mtime: summary.mtime,
    summary,
  }));
  if (!hasMethod(store, 'listSessions')) return summaries;
  const listed = withNewestTimes(await listStored(store, projectKey));
  const mtimes = new Map(listed.map(({ sessionId, mtime }) => [sessionId, mtime]));
  // Summaries that the listing lacks are of deleted sessions; older ones lack the last entries.
  const fresh = summaries.filter(
    ({ sessionId, mtime }) => mtime >= (mtimes.get(sessionId) ?? Number.POSITIVE_INFINITY),
  );
  const known = new Set(fresh.map(({ sessionId }) => sessionId));
  return [...fresh, ...listed.filter(({ sessionId }) => !known.has(sessionId))];
}

/** Each session once, with its newest `mtime`, in the order in which the ids came. */
function withNewestTimes<Row extends ListedSession>(rows: readonly Row[]): Row[] {
  const byId = new Map<string, Row>();
  for (const row of rows) {
    const known = byId.get(row.sessionId);
    if (known === undefined || known.mtime < row.mtime) byId.set(row.sessionId, row);
  }
  return [...byId.values()];
}

async function listedRow(
  store: SessionStore,
  { projectKey }: StoreListing,
  { sessionId, mtime, summary }: Candidate,
  projectDirectory: string,
): Promise<SDKSessionInfo | undefined> {
  const key = { projectKey, sessionId };
  try {
    const row = summary && rowOfSummary(summary, { projectDirectory });
    // A summary does not tell a session without prompts from one whose prompts are images: their kind is in the entries.
    if (row !== undefined || summary?.data.isSidechain === true) return row;
    const entries = await loadEntries(store, key);
    return entries === null ? undefined : rowOfEntries(key, entries, { mtime, projectDirectory });
  } catch (error) {
    if (isTimeout(error)) throw error;
    // A session that cannot be read must not hide the others.
    return { sessionId, summary: '', lastModified: mtime };
  }
}

/** A store that hangs would hang once for each session of the page. */
function isTimeout(error: unknown): boolean {
  return error instanceof SessionStoreError && error.errorClass === 'session_store_timeout';
}
