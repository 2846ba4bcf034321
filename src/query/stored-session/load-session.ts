import type { DiagnosticListener } from '../../diagnostics.js';
import type { SessionStoreCall } from '../../errors/session-errors.js';
import { SessionStoreError } from '../../errors.js';
import { isStoredNamesake, projectKeyForDirectory } from '../../transcripts/files/project-folder.js';
import { worktreesOf } from '../../transcripts/files/worktrees.js';
import { foldSessionSummary } from '../../transcripts/store/fold-session-summary.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../transcripts/store/session-store.js';
import { listStored, listSubpaths, listSummaries, loadEntries } from '../../transcripts/store/store-answers.js';
import { type CallLimits, hasMethod } from '../../transcripts/store/store-call.js';
import { isSafeSubpath } from '../../transcripts/store/store-key.js';
import { isSessionId } from '../../transcripts/transcript/entry.js';
import type { ConfigLocation } from '../../util/config-folder.js';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { ResumeFolder } from './resume-folder.js';

/** What the system says of a path that cannot be a file. */
const NO_FILE: ReadonlySet<string> = new Set(['ENAMETOOLONG', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EINVAL']);

interface LoadRequest {
  readonly store: SessionStore;
  readonly projectKey: string;
  /** The working directory that the key stands for, without symbolic links. */
  readonly directory: string;
  /** A UUID. `undefined`: the newest session that can be continued. */
  readonly sessionId: string | undefined;
  /** For each call to the store. */
  readonly limits: CallLimits & { readonly signal: AbortSignal };
  /** Where the user's own files are copied from. */
  readonly userFiles: ConfigLocation;
  readonly onDiagnostic: DiagnosticListener;
}

export interface LoadedSession {
  readonly sessionId: string;
  /** The project that the store has it in. */
  readonly projectKey: string;
  readonly folder: ResumeFolder;
}

interface FoundSession {
  readonly sessionId: string;
  readonly projectKey: string;
  readonly entries: readonly SessionStoreEntry[];
}

/**
 * Takes a session from a store and writes it, with what belongs to it, into a configuration folder of its own.
 * @returns `undefined` when the store does not have it; nothing was written then.
 * @throws SessionStoreError a call to the store failed or took too long, or what it gave cannot be written; the
 * signal's reason when it aborted. No folder is left.
 */
export async function loadSession(request: LoadRequest): Promise<LoadedSession | undefined> {
  const { projectKey, sessionId: wanted } = request;
  const found = wanted === undefined ? await findNewest(request) : await findInRepository(request, wanted);
  if (found === undefined) return undefined;
  const { sessionId, entries } = found;
  const { signal } = request.limits;
  const folder = new ResumeFolder();
  try {
    const key = { projectKey, sessionId };
    await writing(key, folder.writeTranscript(key, entries, signal), signal);
    await writeSubagents(request, folder, found);
    await folder.copyUserFiles(request.userFiles);
    signal.throwIfAborted();
    return { sessionId, projectKey: found.projectKey, folder };
  } catch (error) {
    folder.remove(request.onDiagnostic);
    throw error;
  }
}

/** Worktrees whose projects are asked for a session, at most. */
const MAX_WORKTREES = 50;

/** Also in the projects of the other worktrees of the repository, as the CLI does with its files. */
async function findInRepository(request: LoadRequest, sessionId: string): Promise<FoundSession | undefined> {
  const found = await find(request, sessionId);
  if (found !== undefined) return found;
  const keys = worktreesOf(request.directory).slice(0, MAX_WORKTREES).map(projectKeyForDirectory);
  for (const projectKey of new Set(keys)) {
    const elsewhere = projectKey === request.projectKey ? undefined : await find(request, sessionId, projectKey);
    if (elsewhere !== undefined) return elsewhere;
  }
  return undefined;
}

async function find(
  request: LoadRequest,
  sessionId: string,
  projectKey = request.projectKey,
): Promise<FoundSession | undefined> {
  const entries = await load(request, { projectKey, sessionId });
  return entries.length === 0 ? undefined : { sessionId, projectKey, entries };
}

/**
 * Newest first, ties in the store's order; side chains, sessions that are gone, and those of other directories with the
 * same key are skipped, as the CLI does with its files.
 */
async function findNewest(request: LoadRequest): Promise<FoundSession | undefined> {
  const { store, projectKey, directory, limits } = request;
  const listed = await namingCall({ method: 'listSessions' }, listStored(store, projectKey, limits), limits.signal);
  const ids = listed.toSorted((a, b) => b.mtime - a.mtime).map(({ sessionId }) => sessionId);
  let others: ReadonlySet<string> | undefined;
  for (const sessionId of ids.filter(isSessionId)) {
    if (others?.has(sessionId) === true) continue;
    const found = await find(request, sessionId);
    if (found === undefined || found.entries[0]?.isSidechain === true) continue;
    const { cwd } = foldSessionSummary(undefined, { projectKey, sessionId }, [...found.entries]).data;
    if (!isStoredNamesake(cwd, directory)) return found;
    // There may be many of them, and each would be loaded.
    others ??= await sessionsOfOthers(request);
  }
  return undefined;
}

/** The sessions of other directories with the same key, as far as the store's summaries tell. */
async function sessionsOfOthers({ store, projectKey, directory, limits }: LoadRequest): Promise<ReadonlySet<string>> {
  if (!hasMethod(store, 'listSessionSummaries')) return new Set();
  const answer = listSummaries(store, projectKey, limits);
  const summaries = await namingCall({ method: 'listSessionSummaries' }, answer, limits.signal);
  const others = summaries.filter(({ data }) => isStoredNamesake(data.cwd, directory));
  return new Set(others.map(({ sessionId }) => sessionId));
}

async function writeSubagents(
  request: LoadRequest,
  folder: ResumeFolder,
  { sessionId, projectKey }: FoundSession,
): Promise<void> {
  const { store, limits, onDiagnostic } = request;
  if (!store.listSubkeys) return;
  const subpaths = await namingCall(
    { method: 'listSubkeys', sessionId },
    listSubpaths(store, { projectKey, sessionId }, limits),
    limits.signal,
  );
  for (const subpath of new Set(subpaths)) {
    const key = { projectKey, sessionId, subpath };
    if (isSafeSubpath(subpath) && (await writeSubagent(request, folder, key))) continue;
    onDiagnostic({
      code: 'stored_part_skipped',
      message: 'A subpath of a stored session cannot be a file below its folder; it is left out',
      details: { sessionId, subpath: subpath.slice(0, 200) },
    });
  }
}

/**
 * @returns false when the subpath names no file: one of its names is too long, or a file is where it needs a folder.
 */
async function writeSubagent(request: LoadRequest, folder: ResumeFolder, key: SessionKey): Promise<boolean> {
  const { signal } = request.limits;
  const entries = await load(request, key);
  const written = { ...key, projectKey: request.projectKey };
  try {
    await writing(key, folder.writeTranscript(written, entries, signal), signal);
    return true;
  } catch (error) {
    if (error instanceof SessionStoreError && NO_FILE.has(codeOf(error.cause) ?? '')) return false;
    throw error;
  }
}

async function load({ store, limits }: LoadRequest, key: SessionKey): Promise<readonly SessionStoreEntry[]> {
  const { sessionId, subpath } = key;
  const call = { method: 'load', sessionId, subpath };
  return (await namingCall(call, loadEntries(store, key, limits), limits.signal)) ?? [];
}

async function writing({ sessionId, subpath }: SessionKey, written: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new SessionStoreError({ method: 'load', sessionId, subpath }, 'returned entries that cannot be written', {
      detail: errorText(error),
      cause: error,
    });
  }
}

/**
 * What a call to the store gives. The session ends with what it throws, so that must say which call it was.
 * @throws SessionStoreError it rejected (`cause`), or what the call itself says of it; the signal's reason when it
 * aborted.
 */
export async function namingCall<T>(call: SessionStoreCall, answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SessionStoreError || signal.aborted) throw error;
    throw new SessionStoreError(call, 'failed', { detail: errorText(error), cause: error });
  }
}
