import { describe, expect, test, vi } from 'vitest';
import {
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  InvalidOptionError,
  listSessions,
  type SessionStore,
  SessionStoreError,
} from '../../../src/index.js';
import { listSessionsFromStore } from '../../../src/transcripts/store/store-listing.js';
import { loggingStore } from './logging-store.js';
import {
  ALL,
  DIR,
  ENTRIES,
  id,
  LISTING,
  listed,
  loads,
  message,
  PROJECT,
  S,
  SIDECHAIN,
  summary,
} from './stored-session.js';

function cyclic(): object {
  const entry: Record<string, unknown> = { type: 'x' };
  entry.self = entry;
  return entry;
}

function deep(depth: number): object {
  let entry: object = {};
  for (let level = 0; level < depth; level += 1) entry = { entry };
  return { type: 'x', ...entry };
}

describe('listSessions over a store', () => {
  test('with fresh summaries it makes two calls and loads nothing (PY-315)', async () => {
    const summaries = [summary(1, 10), summary(2, 30), summary(3, 25)];
    const { store, calls } = loggingStore({ sessions: listed(10, 30, 20), summaries }, ALL);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(calls).toEqual([
      ['listSessionSummaries', PROJECT],
      ['listSessions', PROJECT],
    ]);
    expect(rows.map(({ sessionId, lastModified }) => [sessionId, lastModified])).toEqual([
      [id(2), 30],
      [id(3), 25],
      [id(1), 10],
    ]);
    expect(rows[0]).toEqual({
      sessionId: id(2),
      summary: 'hello',
      lastModified: 30,
      firstPrompt: 'hello',
      gitBranch: 'main',
      cwd: DIR,
      createdAt: Date.UTC(2026, 0, 1, 0, 0, 1),
    });
  });

  test('what is stale or missing is loaded, what the listing does not know is left out (PY-315)', async () => {
    const { store, calls } = loggingStore(
      {
        sessions: listed(10, 30, 20),
        summaries: [summary(1, 9), summary(3, 20), summary(7, 70)],
        load: { [id(1)]: ENTRIES, [id(2)]: ENTRIES },
      },
      ALL,
    );
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([id(2), id(3), id(1)]);
    expect(rows.map(({ fileSize }) => fileSize === undefined)).toEqual([false, true, false]);
    expect(calls.slice(2)).toEqual(loads(2, 1));
  });

  test('a session whose prompts have no text is loaded for what they are', async () => {
    const prompt = (type: string) => [{ type: 'user', cwd: DIR, message: { role: 'user', content: [{ type }] } }];
    const load = {
      [id(1)]: prompt('image'),
      [id(2)]: prompt('document'),
      [id(3)]: [{ type: 'mode' }],
      [id(4)]: SIDECHAIN,
    };
    const summaries = Object.entries(load).map(([sessionId, entries], index) =>
      foldSessionSummary(undefined, { projectKey: PROJECT, sessionId }, entries, { mtime: 9 - index }),
    );
    const sessions = listed(9, 8, 7, 6);
    for (const [methods, loaded] of [
      [ALL, loads(1, 2, 3)],
      [LISTING, loads(1, 2, 3, 4)],
    ] as const) {
      const { store, calls } = loggingStore({ sessions, summaries, load }, methods);
      const rows = await listSessions({ dir: DIR, sessionStore: store });
      expect(rows.map(({ summary: name, firstPrompt, cwd }) => [name, firstPrompt, cwd])).toEqual([
        ['Image', undefined, DIR],
        ['Document', undefined, DIR],
      ]);
      expect(calls.filter(([method]) => method === 'load')).toEqual(loaded);
      expect(await getSessionInfo(id(1), { dir: DIR, sessionStore: store })).toMatchObject({ summary: 'Image' });
    }
  });

  test('sessions of another directory with the same key are left out, and pages are filled without them', async () => {
    const from = (cwd: string) => ENTRIES.map((entry) => ({ ...entry, cwd }));
    const other = '/somewhere/that_is_not';
    const load = {
      [id(1)]: from(other),
      [id(2)]: from('/moved'),
      [id(3)]: from(other),
      [id(4)]: from(DIR),
      [id(5)]: ENTRIES,
    };
    const summaries = Object.entries(load).map(([sessionId, entries], index) =>
      foldSessionSummary(undefined, { projectKey: PROJECT, sessionId }, entries, { mtime: 9 - index }),
    );
    const content = { sessions: listed(9, 8, 7, 6, 5), summaries, load };
    for (const methods of [ALL, LISTING]) {
      const { store } = loggingStore(content, methods);
      const idsOf = async (options: object) =>
        (await listSessions({ sessionStore: store, ...options })).map(({ sessionId }) => sessionId);
      expect(await idsOf({ dir: DIR })).toEqual([id(2), id(4), id(5)]);
      expect(await idsOf({ dir: other })).toEqual([id(1), id(2), id(3), id(5)]);
      expect(await getSessionInfo(id(1), { dir: DIR, sessionStore: store })).toMatchObject({ cwd: other });
    }
    const { store } = loggingStore(content, ALL);
    expect(await listSessions({ dir: DIR, limit: 2, sessionStore: store })).toHaveLength(2);
  });

  test('only what is on the page is loaded (PY-315)', async () => {
    const { store, calls } = loggingStore(
      { sessions: listed(50, 40, 30, 20), summaries: [], load: { [id(2)]: ENTRIES } },
      ALL,
    );
    const rows = await listSessions({ dir: DIR, limit: 1, offset: 1, sessionStore: store });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([id(2)]);
    expect(calls.slice(2)).toEqual(loads(2));
  });

  test('summaries alone are enough', async () => {
    const { store } = loggingStore({ summaries: [summary(1, 3), summary(2, 9)] }, [
      'append',
      'load',
      'listSessionSummaries',
    ]);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([id(2), id(1)]);
  });

  test('without summaries every session is loaded, 16 at once at most (PY-316)', async () => {
    let now = 0;
    let most = 0;
    const sessions = Array.from({ length: 40 }, (_, index) => ({
      sessionId: `${String(index).padStart(8, '0')}-1111-4111-8111-111111111111`,
      mtime: index,
    }));
    const store: SessionStore = {
      append: async () => {},
      listSessions: async () => sessions,
      load: async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise(setImmediate);
        now -= 1;
        return ENTRIES;
      },
    };
    const rows = await listSessions({ sessionStore: store });
    expect(rows.length).toBe(40);
    expect(rows[0]?.lastModified).toBe(39);
    expect(most).toBe(16);
  });

  test('one that cannot be loaded is a row with an empty summary (PY-316)', async () => {
    const load = { [id(1)]: new Error('boom'), [id(2)]: ENTRIES, [id(3)]: 'garbage' };
    const { store } = loggingStore({ sessions: listed(30, 20, 10), load }, LISTING);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows[0]).toEqual({ sessionId: id(1), summary: '', lastModified: 30 });
    expect(rows.map((row) => row.summary)).toEqual(['', 'hello', '']);
  });

  test.each([
    ['a cycle', cyclic(), 'hello'],
    ['a bigint', { type: 'x', n: 1n }, 'hello'],
    [
      'a toJSON that throws',
      {
        type: 'x',
        toJSON: () => {
          throw new TypeError('no');
        },
      },
      'hello',
    ],
    ['endless depth', deep(100_000), 'hello'],
    [
      'a getter that throws',
      {
        type: 'x',
        get gitBranch() {
          throw new TypeError('no');
        },
      },
      '',
    ],
  ])('one with %s in it hides no other', async (_name, odd, expected) => {
    const load = { [id(1)]: [...ENTRIES, odd], [id(2)]: ENTRIES };
    const { store } = loggingStore({ sessions: listed(30, 20), load }, LISTING);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows.map(({ summary }) => summary)).toEqual([expected, 'hello']);
    const sessionStore = store;
    for (const call of [
      () => getSessionInfo(id(1), { dir: DIR, sessionStore }),
      () => getSessionMessages(id(1), { dir: DIR, sessionStore }),
      () => forkSession(id(1), { dir: DIR, sessionStore }),
    ]) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error !== undefined) expect(error).toBeInstanceOf(SessionStoreError);
    }
  });

  test('a summary that cannot be read hides no other', async () => {
    const bad = {
      ...summary(1, 30),
      data: {
        get customTitle() {
          throw new TypeError('no');
        },
      },
    };
    const { store } = loggingStore({ sessions: listed(30, 20), summaries: [bad, summary(2, 20)] }, ALL);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows.map((row) => row.summary)).toEqual(['', 'hello']);
  });

  test('a store that hangs ends the listing, instead of once for every session', async () => {
    const { store } = loggingStore({ sessions: listed(30, 20, 10) }, LISTING);
    const hangs = { ...store, load: () => new Promise<never>(() => {}) };
    vi.useFakeTimers();
    try {
      const listing = listSessionsFromStore(hangs, { projectKey: PROJECT });
      const failed = expect(listing).rejects.toMatchObject({
        errorClass: 'session_store_timeout',
        method: 'load',
        sessionId: id(1),
      });
      await vi.advanceTimersByTimeAsync(60_000);
      await failed;
    } finally {
      vi.useRealTimers();
    }
  });

  test('sidechains, empty and vanished sessions are not shown; the page counts them', async () => {
    const { store, calls } = loggingStore(
      { sessions: listed(40, 30, 20, 10), load: { [id(1)]: SIDECHAIN, [id(2)]: [{ type: 'mode' }], [id(4)]: ENTRIES } },
      LISTING,
    );
    const page = (offset: number) => listSessions({ dir: DIR, limit: 2, offset, sessionStore: store });
    expect(await page(0)).toEqual([]);
    expect((await page(2)).map(({ sessionId }) => sessionId)).toEqual([id(4)]);
    expect(calls.filter(([method]) => method === 'load').length).toBe(4);
  });

  test('a session listed twice is one row, with its newest time', async () => {
    const sessions = [...listed(10), ...listed(12)];
    const { store } = loggingStore({ sessions, load: { [S]: ENTRIES } }, LISTING);
    const rows = await listSessions({ dir: DIR, sessionStore: store });
    expect(rows.map(({ lastModified }) => lastModified)).toEqual([12]);
  });

  test('sessions of the same time keep the store’s order', async () => {
    const load = { [id(1)]: ENTRIES, [id(2)]: ENTRIES, [id(3)]: ENTRIES };
    const sessions = [3, 1, 2].map((digit) => ({ sessionId: id(digit), mtime: 5 }));
    const { store } = loggingStore({ sessions, load }, LISTING);
    const rows = await listSessions({ sessionStore: store });
    expect(rows.map(({ sessionId }) => sessionId)).toEqual([id(3), id(1), id(2)]);
  });

  test('a title in the middle of a long session is found', async () => {
    const long = Array.from({ length: 40 }, (_, index) => message(`a${index}`, 'u1', 'x'.repeat(5000)));
    const title = { type: 'custom-title', customTitle: 'the title' };
    const load = { [S]: [ENTRIES[0], ...long, title, ...long] };
    const { store } = loggingStore({ sessions: listed(5), load }, LISTING);
    expect((await listSessions({ sessionStore: store }))[0]?.customTitle).toBe('the title');
  });

  test('a store that can list nothing is refused, naming the method (PY-317)', async () => {
    const { store } = loggingStore({}, ['append', 'load']);
    const failed = listSessions({ sessionStore: store });
    await expect(failed).rejects.toThrow(InvalidOptionError);
    await expect(failed).rejects.toThrow('sessionStore.listSessions is not implemented');
  });
});

describe('the row of a summary:', () => {
  const rowOf = async (data: Record<string, unknown>) => {
    const summaries = [{ sessionId: S, mtime: 5, data }];
    const { store } = loggingStore({ sessions: listed(5), summaries }, ALL);
    return (await listSessions({ dir: DIR, sessionStore: store }))[0];
  };
  const full = {
    customTitle: 'custom',
    aiTitle: 'ai',
    lastPrompt: 'last',
    summaryHint: 'hint',
    firstPrompt: 'first',
    firstPromptLocked: true,
    commandFallback: '/command',
  };
  const cases: readonly [string, Record<string, unknown>, object][] = [
    ['the given title', full, { summary: 'custom', customTitle: 'custom', firstPrompt: 'first' }],
    ['the generated title', { ...full, customTitle: '' }, { summary: 'ai', customTitle: 'ai' }],
    ['the last prompt', { ...full, customTitle: '', aiTitle: '' }, { summary: 'last' }],
    ['the summary', { summaryHint: 'hint', commandFallback: '/c' }, { summary: 'hint' }],
    ['the first prompt', { firstPrompt: 'p', firstPromptLocked: true }, { summary: 'p' }],
    ['a command', { commandFallback: '/c', firstPrompt: 'not locked' }, { summary: '/c', firstPrompt: '/c' }],
    ['what is not text is absent', { ...full, customTitle: 5, createdAt: 'x' }, { summary: 'ai' }],
    [
      'time, tag, branch, directory',
      { ...full, createdAt: 7, tag: 't', gitBranch: 'b', cwd: '/c' },
      { createdAt: 7, tag: 't', gitBranch: 'b', cwd: '/c' },
    ],
  ];
  test.each(cases)('%s', async (_name, data, expected) => {
    expect(await rowOf(data)).toMatchObject(expected);
  });

  test('none for a sidechain, and none when nothing was said', async () => {
    expect(await rowOf({ ...full, isSidechain: true })).toBeUndefined();
    expect(await rowOf({ tag: 't', cwd: '/c' })).toBeUndefined();
  });
});
