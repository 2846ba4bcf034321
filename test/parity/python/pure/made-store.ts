import { setTimeout as delay } from 'node:timers/promises';
import type {
  foldSessionSummary,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../../../src/index.js';
import type { StoreMethod, StoreSpec } from './program.js';

const METHODS: readonly StoreMethod[] = [
  'append',
  'load',
  'listSessions',
  'listSessionSummaries',
  'delete',
  'listSubkeys',
];

export interface MadeStore {
  readonly store: SessionStore;
  readonly calls: readonly unknown[];
  readonly mostAtOnce: () => number;
}

/** A store made to order; the twin of `Stored` in `pure.py`. */
export function madeStore(spec: StoreSpec, foldSummary: typeof foldSessionSummary): MadeStore {
  const calls: unknown[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const sessions = spec.sessions ?? {};

  async function asked(method: StoreMethod, key: string | object, more = {}): Promise<void> {
    calls.push({ method, key, ...more });
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    try {
      await delay(spec.delayMs?.[method] ?? 0);
    } finally {
      atOnce -= 1;
    }
    const name = typeof key === 'string' ? key : String(Reflect.get(key, 'sessionId') ?? '');
    const reason = spec.fails?.[`${method} ${name}`] ?? spec.fails?.[method];
    if (reason !== undefined) throw new Error(reason);
  }

  const all = {
    async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
      await asked('append', key, { entries: structuredClone(entries) });
    },
    async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
      await asked('load', key);
      const session = sessions[key.sessionId];
      const found = key.subpath === undefined ? session?.entries : session?.below?.[key.subpath];
      return (found as unknown as SessionStoreEntry[] | undefined) ?? null;
    },
    async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
      await asked('listSessions', projectKey);
      return Object.entries(sessions).flatMap(([sessionId, { mtime, isListed = true }]) =>
        isListed ? [{ sessionId, mtime }] : [],
      );
    },
    async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
      await asked('listSessionSummaries', projectKey);
      return Object.entries(sessions).flatMap(([sessionId, { entries = [], summaryMtime }]) => {
        if (summaryMtime === undefined) return [];
        const folded = foldSummary(undefined, { projectKey, sessionId }, entries as unknown as SessionStoreEntry[]);
        return [{ ...folded, mtime: summaryMtime }];
      });
    },
    async delete(key: SessionKey): Promise<void> {
      await asked('delete', key);
    },
    async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
      await asked('listSubkeys', key);
      return Object.keys(sessions[key.sessionId]?.below ?? {});
    },
  };
  const wanted = spec.methods ?? METHODS;
  const store = Object.fromEntries(wanted.map((method) => [method, all[method]]));
  return { store: store as unknown as SessionStore, calls, mostAtOnce: () => mostAtOnce };
}
