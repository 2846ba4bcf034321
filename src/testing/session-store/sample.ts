import type { SessionKey, SessionStore, SessionStoreEntry } from '../../index.js';

export const PROJECT = '-home-user-project';
export const OTHER_PROJECT = '-home-user-other';
export const SESSION = '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b';
export const OTHER_SESSION = '7d9e0f1a-2b3c-4d5e-8f60-718293a4b5c6';

/** Main transcript of the session that most cases write to. */
export const MAIN: SessionKey = { projectKey: PROJECT, sessionId: SESSION };

export function below(subpath: string, main: SessionKey = MAIN): SessionKey {
  return { ...main, subpath };
}

/** Entries as the CLI writes them, in short: each with a `uuid` made of `name` and its number. */
export function entries(name: string, count = 1): SessionStoreEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    type: index % 2 === 0 ? 'user' : 'assistant',
    uuid: `${name}-${index}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    message: { role: index % 2 === 0 ? 'user' : 'assistant', content: `${name} ${index}` },
  }));
}

/** JSON that stores have been seen to change. */
export const ODD_ENTRIES: readonly SessionStoreEntry[] = [
  { type: 'user', text: '', blank: ' \t\n', lines: 'a\r\nb\u2028c\u2029d', nul: 'a\u0000b' },
  { type: 'user', text: 'é e\u0301 中文 😀 \u202e', quote: '"\\\'`', html: '</script>&amp;' },
  { type: 'user', zero: 0, tiny: 1e-9, big: 9_007_199_254_740_991, minus: -1.5, yes: true, no: null },
  { type: 'user', list: [], nested: [[], {}, [null, [1]]], object: {}, deep: { a: { b: { c: [] } } } },
  { type: 'user', 'a.b': 1, $set: 2, '': 3, _id: 'mine', id: 4, 'key with space': 5, entry: {}, n: '5' },
  // Titles and tags have no `uuid`: each of them counts, also when it is said twice.
  { type: 'custom-title', customTitle: 'same' },
  { type: 'custom-title', customTitle: 'same' },
];

/** As text: in a literal the first name would set the prototype. */
export const UNUSUAL_JSON = '{"type":"user","uuid":"odd","__proto__":{"a":1},"half":"\\ud83d","other":"\\udc00x"}';

/** The uuids that a store has for `key`, in order. */
export async function uuidsOf(store: SessionStore, key: SessionKey): Promise<unknown[]> {
  return ((await store.load(key)) ?? []).map(({ uuid }) => uuid);
}

export function idsOf(listed: readonly { readonly sessionId: string }[]): readonly string[] {
  return listed.map(({ sessionId }) => sessionId);
}
