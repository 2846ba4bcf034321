import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from '../../../src/index.js';
import { foldSessionSummary } from '../../../src/index.js';
import { MapStore } from './map-store.js';

type Entries = SessionStoreEntry[];

/** For each case of the contract a store that breaks its promise. */
export const BROKEN_STORES: Readonly<Record<string, () => SessionStore>> = {
  'load returns the entries of an append in their order': () =>
    new (class extends MapStore {
      override async load(key: SessionKey): Promise<Entries | null> {
        const loaded = await super.load(key);
        return loaded?.sort((a, b) => ((a.uuid ?? '') < (b.uuid ?? '') ? -1 : 1)) ?? null;
      }
    })(),

  'load of a key that was never written is null': () =>
    new (class extends MapStore {
      override async load(key: SessionKey): Promise<Entries | null> {
        return (await super.load(key)) ?? [];
      }
    })(),

  'several appends are kept in the order of the calls': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        const id = this.idOf(key);
        const before = this.lines.get(id) ?? [];
        await super.append(key, entries);
        const all = this.lines.get(id) ?? [];
        this.lines.set(id, [...all.slice(before.length), ...before]);
      }
    })(),

  'an append of nothing changes nothing and makes no session': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        const id = this.idOf(key);
        if (entries.length > 0) return await super.append(key, entries);
        this.lines.set(id, this.lines.get(id) ?? []);
        this.summaries.set(id, foldSessionSummary(this.summaries.get(id), key, entries));
      }
    })(),

  'a subpath is a transcript of its own': () =>
    new (class extends MapStore {
      protected override idOf({ projectKey, sessionId }: SessionKey): string {
        return JSON.stringify([projectKey, sessionId]);
      }
    })(),

  'a subpath can be written before the main transcript': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        if (key.subpath !== undefined && !this.lines.has(this.idOf(without(key)))) return;
        await super.append(key, entries);
      }
    })(),

  'projects are separate, also when one name begins like another': () =>
    new (class extends MapStore {
      override async listSessions(projectKey: string) {
        const listed = [];
        for (const [project, sessionId] of this.partsOf(2)) {
          if (project?.startsWith(projectKey) !== true || sessionId === undefined) continue;
          listed.push({ sessionId, mtime: Date.now() });
        }
        return listed;
      }
    })(),

  'sessions of a project are separate': () =>
    new (class extends MapStore {
      protected override idOf({ projectKey, subpath }: SessionKey): string {
        return JSON.stringify([projectKey, 's', ...(subpath === undefined ? [] : [subpath])]);
      }
    })(),

  'entries come back deep-equal, whatever JSON they hold': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        // What a text column of some databases does.
        await super.append(
          key,
          entries.map((entry) => JSON.parse(JSON.stringify(entry).replaceAll('\\u0000', '')) as SessionStoreEntry),
        );
      }
    })(),

  'a batch of 500 entries and more than 1 MiB comes back whole': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        await super.append(key, entries.slice(0, 100));
      }
    })(),

  'a transcript of 2500 entries in several appends comes back whole': () =>
    new (class extends MapStore {
      override async load(key: SessionKey): Promise<Entries | null> {
        // A page of a database, and nobody asks for the next one.
        return (await super.load(key))?.slice(0, 1000) ?? null;
      }
    })(),

  'an entry of more than 2 MiB comes back whole': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        const fits = (entry: SessionStoreEntry) => JSON.stringify(entry).length < 1024 * 1024;
        await super.append(key, entries.filter(fits));
      }
    })(),

  'a key named __proto__ and half a surrogate pair are kept': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        await super.append(
          key,
          entries.map((entry) => Object.assign({}, entry)),
        );
      }
    })(),

  'subpaths that differ in case alone are two transcripts': () =>
    new (class extends MapStore {
      protected override idOf(key: SessionKey): string {
        return super.idOf(key).toLowerCase();
      }
    })(),

  'what was appended is a copy: later changes by the caller are not stored': () => new LiveStore('in'),

  'what is loaded is a copy: changes to it are not stored': () => new LiveStore('out'),

  'appends that run at once lose nothing and keep the order of each': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        const id = this.idOf(key);
        const before = this.lines.get(id) ?? [];
        await Promise.resolve();
        this.lines.set(id, [...before, ...entries.map((entry) => JSON.stringify(entry))]);
      }
    })(),

  'listSessions gives the sessions of its project': () =>
    new (class extends MapStore {
      override async listSessions(projectKey: string) {
        return (await super.listSessions(projectKey)).slice(0, 1);
      }
    })(),

  'listSessions leaves out transcripts below a session': () =>
    new (class extends MapStore {
      override async listSessions(projectKey: string) {
        const parts = [...this.partsOf(2), ...this.partsOf(3)];
        return parts
          .filter(([project]) => project === projectKey)
          .map(([, sessionId]) => ({ sessionId: sessionId as string, mtime: Date.now() }));
      }
    })(),

  'mtime is in whole epoch milliseconds and does not go back': () =>
    new (class extends MapStore {
      override async listSessions(projectKey: string) {
        return (await super.listSessions(projectKey)).map(({ sessionId, mtime }) => ({
          sessionId,
          mtime: Math.floor(mtime / 1000),
        }));
      }
    })(),

  'a summary is what foldSessionSummary made of every append': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        this.summaries.delete(this.idOf(key));
        await super.append(key, entries);
      }
    })(),

  'summaries are those of main transcripts, of one project': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        await super.append(key, entries);
        const id = this.idOf(without(key));
        const known = this.summaries.get(id);
        if (key.subpath === undefined || known === undefined) return;
        this.summaries.set(id, foldSessionSummary(known, key, entries));
      }
    })(),

  'a summary is not older than its session in listSessions': () =>
    new (class extends MapStore {
      override async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
        const found = await super.listSessionSummaries(projectKey);
        return found.map((summary) => ({ ...summary, mtime: summary.mtime - 1 }));
      }
      override async listSessions(projectKey: string) {
        const found = await super.listSessions(projectKey);
        return found.map(({ sessionId, mtime }) => ({ sessionId, mtime: mtime + 1 }));
      }
    })(),

  'a summary knows every one of the appends that run at once': () =>
    new (class extends MapStore {
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        const id = this.idOf(key);
        const before = this.summaries.get(id);
        await Promise.resolve();
        await super.append(key, entries);
        this.summaries.set(id, foldSessionSummary(before, key, entries, { mtime: Date.now() }));
      }
    })(),

  'delete removes the summary too': () =>
    new (class extends MapStore {
      override async delete(key: SessionKey): Promise<void> {
        const summary = this.summaries.get(this.idOf(key));
        await super.delete(key);
        if (summary !== undefined) this.summaries.set(this.idOf(key), summary);
      }
    })(),

  'delete removes a session; an unknown key is no error': () =>
    new (class extends MapStore {
      override async delete(key: SessionKey): Promise<void> {
        if (!this.lines.has(this.idOf(key))) throw new Error('no such key');
        await super.delete(key);
      }
    })(),

  'delete of a session removes what is below it and nothing else': () =>
    new (class extends MapStore {
      override async delete(key: SessionKey): Promise<void> {
        this.lines.delete(this.idOf(key));
      }
    })(),

  'delete of a subpath removes that transcript alone': () =>
    new (class extends MapStore {
      override async delete(key: SessionKey): Promise<void> {
        await super.delete(without(key));
      }
    })(),

  'a deleted session can be written again': () =>
    new (class extends MapStore {
      readonly #deleted = new Set<string>();
      override async append(key: SessionKey, entries: Entries): Promise<void> {
        if (!this.#deleted.has(this.idOf(key))) await super.append(key, entries);
      }
      override async delete(key: SessionKey): Promise<void> {
        this.#deleted.add(this.idOf(key));
        await super.delete(key);
      }
    })(),

  'listSubkeys gives the subpaths of its session': () =>
    new (class extends MapStore {
      override async listSubkeys(key: SessionKey): Promise<string[]> {
        return (await super.listSubkeys(key)).map((subpath) => subpath.toLowerCase());
      }
    })(),

  'listSubkeys leaves out the main transcript': () =>
    new (class extends MapStore {
      override async listSubkeys(key: SessionKey): Promise<string[]> {
        return ['', ...(await super.listSubkeys(key))];
      }
    })(),
};

function without({ projectKey, sessionId }: SessionKey): SessionKey {
  return { projectKey, sessionId };
}

/** Keeps the caller's objects, or gives out its own. */
class LiveStore implements SessionStore {
  readonly #entries = new Map<string, Entries>();
  readonly #side: 'in' | 'out';

  constructor(side: 'in' | 'out') {
    this.#side = side;
  }

  async append(key: SessionKey, entries: Entries): Promise<void> {
    const known = this.#entries.get(JSON.stringify(key)) ?? [];
    known.push(...(this.#side === 'in' ? entries : structuredClone(entries)));
    this.#entries.set(JSON.stringify(key), known);
  }

  async load(key: SessionKey): Promise<Entries | null> {
    const entries = this.#entries.get(JSON.stringify(key)) ?? null;
    return this.#side === 'out' ? entries : structuredClone(entries);
  }
}
