import type { SessionStore } from '../../index.js';

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
    const call = (...args: never[]): Promise<unknown> =>
      within(name, timeoutMs, async () => method.apply(store, args));
    return [[name, call]];
  });
  // The same methods under the same names, and none that the store has not.
  return Object.fromEntries(methods) as SessionStore;
}

async function within<Result>(
  name: string,
  timeoutMs: number,
  task: () => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const message = `${name}() did not settle within ${timeoutMs} ms`;
    timer = setTimeout(() => reject(new Error(message)), timeoutMs);
  });
  try {
    return await Promise.race([task(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
