import type { SessionKey, SessionStore } from 'claudewire';
import { tenantDigest } from '../job/job-id.js';

/**
 * One tenant's part of a store that many share. The tenant takes the place of the working directory in the key, so a
 * session is found on every host, whatever its folders are called, and never by another tenant. Give it to
 * `listSessions()` and the like, to read what jobs have stored.
 *
 * @example
 * await listSessions({ sessionStore: tenantSessionStore(store, 'acme') });
 */
export function tenantSessionStore(store: SessionStore, tenant: string): SessionStore {
  const projectKey = `tenant-${tenantDigest(tenant)}`;
  const inside = <K extends { projectKey: string }>(key: K): K => ({ ...key, projectKey });
  const { listSessions, listSessionSummaries, listSubkeys, delete: remove } = store;
  return {
    append: (key, entries) => store.append(inside(key), entries),
    load: (key) => store.load(inside(key)),
    ...(listSessions && { listSessions: () => listSessions.call(store, projectKey) }),
    ...(listSessionSummaries && { listSessionSummaries: () => listSessionSummaries.call(store, projectKey) }),
    ...(listSubkeys && {
      listSubkeys: (key: { projectKey: string; sessionId: string }) => listSubkeys.call(store, inside(key)),
    }),
    ...(remove && { delete: (key: SessionKey) => remove.call(store, inside(key)) }),
  };
}

/** What becomes of the batches that a store is given. */
export interface StoreWatcher {
  /** It has taken a batch of a main transcript. */
  readonly onStored: (sessionId: string, lastUuid: string) => void;
  /** An append failed. The SDK may try it again. */
  readonly onRefused: (error: unknown) => void;
}

/** The same store, which tells what became of each append. */
export function watchedStore(store: SessionStore, { onStored, onRefused }: StoreWatcher): SessionStore {
  const append: SessionStore['append'] = async (key, entries) => {
    try {
      await store.append(key, entries);
    } catch (error) {
      onRefused(error);
      throw error;
    }
    const last = entries.findLast(({ uuid }) => typeof uuid === 'string')?.uuid;
    if (key.subpath === undefined && last !== undefined) onStored(key.sessionId, last);
  };
  return new Proxy(store, {
    get(_, property) {
      if (property === 'append') return append;
      const value: unknown = Reflect.get(store, property, store);
      return typeof value === 'function' ? value.bind(store) : value;
    },
  });
}
