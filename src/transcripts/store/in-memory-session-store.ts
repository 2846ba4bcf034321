import { foldSessionSummary } from './fold-session-summary.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';
import { checkEntries, checkKey, copyEntries } from './store-key.js';

/** One stored session. */
interface StoredSession {
  /** `undefined` while there are only transcripts below the session. */
  main: { readonly entries: SessionStoreEntry[]; summary: SessionSummaryEntry } | undefined;
  readonly below: Map<string, SessionStoreEntry[]>;
}

/**
 * A {@link SessionStore} in this process's memory, for tests and experiments. Has every optional method. Appended and
 * loaded entries are copies, so neither side can change the other's. `mtime` grows with every `append` to a main
 * transcript, also within one millisecond. Entries are kept as often as they are appended, whatever their `uuid`.
 */
export class InMemorySessionStore implements SessionStore {
  readonly #projects = new Map<string, Map<string, StoredSession>>();
  #lastMtime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkKey(key);
    checkEntries(entries);
    // An empty append writes nothing: a session without entries is not listed.
    if (entries.length === 0) return;
    const session = this.#sessionFor(key);
    const copies = copyEntries(entries);
    if (key.subpath !== undefined) {
      const stored = session.below.get(key.subpath) ?? [];
      for (const entry of copies) stored.push(entry);
      session.below.set(key.subpath, stored);
      return;
    }
    const summary = foldSessionSummary(session.main?.summary, key, copies, { mtime: this.#now() });
    session.main ??= { entries: [], summary };
    session.main.summary = summary;
    for (const entry of copies) session.main.entries.push(entry);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = this.#entriesOf(key);
    return entries === undefined ? null : copyEntries(entries);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    return this.#mains(projectKey).map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return structuredClone(this.#mains(projectKey));
  }

  async delete(key: SessionKey): Promise<void> {
    checkKey(key);
    const sessions = this.#projects.get(key.projectKey);
    if (sessions === undefined) return;
    if (key.subpath === undefined) sessions.delete(key.sessionId);
    else sessions.get(key.sessionId)?.below.delete(key.subpath);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...(this.#projects.get(key.projectKey)?.get(key.sessionId)?.below.keys() ?? [])];
  }

  /** For tests: a copy of what is stored under `key`, empty when nothing is. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return copyEntries(this.#entriesOf(key) ?? []);
  }

  /** For tests: how many main transcripts are stored. */
  get size(): number {
    return [...this.#projects.keys()].reduce((sum, key) => sum + this.#mains(key).length, 0);
  }

  /** For tests: forgets everything. */
  clear(): void {
    this.#projects.clear();
  }

  #sessionFor({ projectKey, sessionId }: SessionKey): StoredSession {
    const sessions = this.#projects.get(projectKey) ?? new Map<string, StoredSession>();
    this.#projects.set(projectKey, sessions);
    const session = sessions.get(sessionId) ?? { main: undefined, below: new Map() };
    sessions.set(sessionId, session);
    return session;
  }

  #entriesOf(key: SessionKey): SessionStoreEntry[] | undefined {
    checkKey(key);
    const session = this.#projects.get(key.projectKey)?.get(key.sessionId);
    return key.subpath === undefined ? session?.main?.entries : session?.below.get(key.subpath);
  }

  /** The summaries of a project's main transcripts, in the order in which the sessions were first written to. */
  #mains(projectKey: string): SessionSummaryEntry[] {
    const sessions = [...(this.#projects.get(projectKey)?.values() ?? [])];
    return sessions.flatMap(({ main }) => main?.summary ?? []);
  }

  #now(): number {
    this.#lastMtime = Math.max(Date.now(), this.#lastMtime + 1);
    return this.#lastMtime;
  }
}
