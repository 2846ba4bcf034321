import type { SessionStore } from '../../index.js';

/** The methods that a store may leave out. */
export type OptionalStoreMethod =
  | 'listSessions'
  | 'listSessionSummaries'
  | 'delete'
  | 'listSubkeys';

/** One promise of a store, as a check. */
export interface ContractCase {
  /** What a store promises, as a sentence. */
  readonly name: string;
  /** Methods without which there is nothing to check. */
  readonly needs: readonly OptionalStoreMethod[];
  /** Rejects when the store, a fresh and empty one, does not keep the promise. */
  check(store: SessionStore): Promise<void>;
}

/** A case that needs `append` and `load` alone. */
export function required(name: string, check: ContractCase['check']): ContractCase {
  return { name, needs: [], check };
}

/** A case that is checked on stores with certain methods; `check` sees them as given. */
export function optional<M extends OptionalStoreMethod>(
  needs: readonly M[],
  name: string,
  check: (store: SessionStore & Required<Pick<SessionStore, M>>) => Promise<void>,
): ContractCase {
  return {
    name,
    needs,
    // The runner has looked: the store has every method of `needs`.
    check: (store) => check(store as SessionStore & Required<Pick<SessionStore, M>>),
  };
}
