import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from '../../../src/index.js';

export type Call = readonly [method: keyof SessionStore, ...args: unknown[]];

interface Content {
  /** By subpath, or by session id for main transcripts. An `Error` is what `load` rejects with. */
  readonly load?: Readonly<Record<string, unknown>>;
  readonly sessions?: readonly { readonly sessionId: string; readonly mtime: number }[];
  readonly summaries?: readonly SessionSummaryEntry[];
  readonly subkeys?: readonly string[];
}

/** A store that answers from `content`, has no methods but `methods`, and notes every call. */
export function loggingStore(
  content: Content,
  methods: readonly (keyof SessionStore)[],
): { readonly store: SessionStore; readonly calls: Call[] } {
  const calls: Call[] = [];
  const note =
    <Result>(method: keyof SessionStore, answer: (...args: never[]) => Result) =>
    async (...args: never[]): Promise<Result> => {
      calls.push([method, ...structuredClone(args)]);
      return answer(...args);
    };
  const all = {
    append: note('append', () => {}),
    load: note('load', ({ sessionId, subpath }: SessionKey) => {
      const answer = content.load?.[subpath ?? sessionId] ?? null;
      if (answer instanceof Error) throw answer;
      return answer as SessionStoreEntry[] | null;
    }),
    listSessions: note('listSessions', () => [...(content.sessions ?? [])]),
    listSessionSummaries: note('listSessionSummaries', () => [...(content.summaries ?? [])]),
    delete: note('delete', () => {}),
    listSubkeys: note('listSubkeys', () => [...(content.subkeys ?? [])]),
  };
  const picked = Object.fromEntries(methods.map((method) => [method, all[method]]));
  // The caller asks for `append` and `load` where they are needed.
  return { store: picked as unknown as SessionStore, calls };
}
