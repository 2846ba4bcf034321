import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from '../../../src/index.js';
import { foldSessionSummary } from '../../../src/index.js';

/** A store as somebody else would write it: small, over a `Map`, everything as JSON text. */
export class MapStore implements SessionStore {
  readonly lines = new Map<string, string[]>();
  readonly summaries = new Map<string, SessionSummaryEntry>();

  protected idOf({ projectKey, sessionId, subpath }: SessionKey): string {
    return JSON.stringify([projectKey, sessionId, ...(subpath === undefined ? [] : [subpath])]);
  }

  /** Keys of main transcripts (`length` 2) or of what is below a session (3), as their parts. */
  protected partsOf(length: 2 | 3): string[][] {
    return [...this.lines.keys()].map((id) => JSON.parse(id) as string[]).filter((parts) => parts.length === length);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const id = this.idOf(key);
    this.lines.set(id, [...(this.lines.get(id) ?? []), ...entries.map((entry) => JSON.stringify(entry))]);
    if (key.subpath !== undefined) return;
    const summary = foldSessionSummary(this.summaries.get(id), key, entries, { mtime: Date.now() });
    this.summaries.set(id, summary);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const lines = this.lines.get(this.idOf(key));
    return lines?.map((line) => JSON.parse(line) as SessionStoreEntry) ?? null;
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    return (await this.listSessionSummaries(projectKey)).map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return this.partsOf(2)
      .filter(([project]) => project === projectKey)
      .flatMap((parts) => this.summaries.get(JSON.stringify(parts)) ?? []);
  }

  async delete(key: SessionKey): Promise<void> {
    const id = this.idOf(key);
    this.lines.delete(id);
    this.summaries.delete(id);
    if (key.subpath !== undefined) return;
    for (const subpath of await this.listSubkeys(key)) {
      this.lines.delete(this.idOf({ ...key, subpath }));
    }
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return this.partsOf(3)
      .filter(([project, session]) => project === key.projectKey && session === key.sessionId)
      .map(([, , subpath]) => subpath as string);
  }
}
