import type { SessionStore } from '../../index.js';
import { within } from '../../util/race.js';

type Method = (...args: never[]) => Promise<unknown>;

const METHODS = [
  'append',
  'load',
  'listSessions',
  'listSessionSummaries',
  'delete',
  'listSubkeys',
] as const;

/** The store with an end to every call, so that one that never answers fails its case by name. */
export function boundedStore(store: SessionStore, timeoutMs: number): SessionStore {
  const methods = METHODS.flatMap((name) => {
    const method = store[name] as Method | undefined;
    if (method === undefined) return [];
    const late = (): never => {
      throw new Error(`${name}() did not settle within ${timeoutMs} ms`);
    };
    const call = async (...args: never[]): Promise<unknown> =>
      within(timeoutMs, method.apply(store, args), late);
    return [[name, call]];
  });
  // The same methods under the same names, and none that the store has not.
  return Object.fromEntries(methods) as SessionStore;
}
