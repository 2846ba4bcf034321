import { findTranscript } from './files/find-transcript.js';
import { allProjectFolders, foldersOfDirectory } from './files/project-folder.js';
import { rowOfTranscript, rowsOfFolders } from './files/session-rows.js';
import { booleanOption, optionsObject, pageOfOptions, placeOf } from './session-options.js';
import type { GetSessionInfoOptions, ListSessionsOptions, SDKSessionInfo } from './session-types.js';
import { rowOfEntries } from './store/fold-session-summary.js';
import { loadEntries, readAnswer } from './store/store-answers.js';
import { listSessionsFromStore } from './store/store-listing.js';
import { isSessionId, type TranscriptEntry } from './transcript/entry.js';

/**
 * Lists sessions, most recently used first. Reads the first and the last 64 KiB of each transcript; for a page
 * (`limit`), only of the sessions on it or before it.
 * @throws {@link InvalidOptionError} an option has a wrong type.
 * @example
 * const [latest] = await listSessions({ dir: process.cwd(), limit: 1 });
 */
export async function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  const given = optionsObject(options);
  const { directory, store } = placeOf(given);
  const page = pageOfOptions(given);
  const worktrees = booleanOption(given, 'includeWorktrees', true);
  const includeProgrammatic = booleanOption(given, 'includeProgrammatic', true);
  if (store !== undefined) {
    return listSessionsFromStore(store.store, { projectKey: store.projectKey, directory, ...page });
  }
  const folders =
    directory === undefined ? allProjectFolders() : foldersOfDirectory(directory, { worktrees, onlySeveral: true });
  return rowsOfFolders(folders, { ...page, includeProgrammatic });
}

/**
 * One session as `listSessions()` shows it. `undefined` when there is no such session, when it is a sidechain, or when
 * it has no prompt and no title. With `dir`, also one that began in another directory of the same folder name. From a
 * store, `lastModified` is the time of the last entry that has one.
 * @throws {@link InvalidOptionError} an option has a wrong type.
 */
export async function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  const { directory, store } = placeOf(optionsObject(options));
  if (!isSessionId(sessionId)) return undefined;
  if (store === undefined) {
    const found = findTranscript(sessionId, directory);
    return found && rowOfTranscript(found);
  }
  const key = { projectKey: store.projectKey, sessionId };
  const entries = (await loadEntries(store.store, key)) ?? [];
  if (entries.length === 0) return undefined;
  return readAnswer({ method: 'load', ...key }, () =>
    rowOfEntries(key, entries, { mtime: timeOfLast(entries) ?? Date.now() }),
  );
}

function timeOfLast(entries: readonly TranscriptEntry[]): number | undefined {
  for (const { timestamp } of entries.toReversed()) {
    const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}
