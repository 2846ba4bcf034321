import { foldSessionSummary, type SessionStoreEntry, type SessionSummaryEntry } from '../../index.js';
import { type ContractCase, expectSame, expectThat, optional, sorted } from './contract-case.js';
import { below, entries, idsOf, MAIN, OTHER_PROJECT, OTHER_SESSION, PROJECT, SESSION } from './sample.js';

const OTHER = { ...MAIN, sessionId: OTHER_SESSION };
const ELSEWHERE = { ...MAIN, projectKey: OTHER_PROJECT };

/** Any clock that counts seconds, or from another epoch, is below this (September 2001). */
const EARLIEST_MTIME = 1e12;

function expectMtime(what: string, mtime: number): void {
  expectThat(
    Number.isInteger(mtime) && mtime > EARLIEST_MTIME,
    `${what} must be whole epoch milliseconds, but is ${typeof mtime} ${mtime}`,
  );
}

/** What `listSessions` promises. */
export const LISTING_CASES: readonly ContractCase[] = [
  optional(['listSessions'], 'listSessions gives the sessions of its project', async (store) => {
    await store.append(MAIN, entries('a'));
    await store.append(OTHER, entries('b'));
    await store.append(MAIN, entries('c'));
    await store.append(ELSEWHERE, entries('d'));
    const ids = idsOf(await store.listSessions(PROJECT));
    expectSame('the ids of listSessions()', sorted('it', ids), [SESSION, OTHER_SESSION].sort());
    expectSame('listSessions() of an unknown project', await store.listSessions('-none'), []);
  }),

  optional(['listSessions'], 'listSessions leaves out transcripts below a session', async (store) => {
    await store.append(MAIN, entries('main'));
    await store.append(below('subagents/agent-1'), entries('sub'));
    await store.append(below('subagents/agent-1', OTHER), entries('only below'));
    expectSame('the ids of listSessions()', idsOf(await store.listSessions(PROJECT)), [SESSION]);
  }),

  optional(['listSessions'], 'mtime is in whole epoch milliseconds and does not go back', async (store) => {
    const mtimeOf = async (): Promise<number> =>
      (await store.listSessions(PROJECT)).find(({ sessionId }) => sessionId === SESSION)?.mtime as number;
    await store.append(MAIN, entries('a'));
    const first = await mtimeOf();
    expectMtime('mtime', first);
    await store.append(MAIN, entries('b'));
    const second = await mtimeOf();
    expectThat(second >= first, `mtime must not go back, but went from ${first} to ${second}`);
  }),
];

/** Batches whose fold differs from the fold of any one of them. */
const BATCHES: readonly SessionStoreEntry[][] = [
  [
    { ...(entries('first')[0] as SessionStoreEntry), cwd: '/home/user', gitBranch: 'main' },
    { type: 'custom-title', customTitle: 'first title' },
    { type: 'tag', tag: 'first-tag' },
  ],
  [
    { ...(entries('second')[0] as SessionStoreEntry), cwd: '/elsewhere', gitBranch: 'work' },
    { type: 'custom-title', customTitle: 'second title' },
  ],
];

/** One field each, so that a summary shows which appends it knows. */
const FIELDS = ['customTitle', 'aiTitle', 'lastPrompt', 'gitBranch', 'cwd'] as const;

/** What `listSessionSummaries` promises. */
export const SUMMARY_CASES: readonly ContractCase[] = [
  optional(['listSessionSummaries'], 'a summary is what foldSessionSummary made of every append', async (store) => {
    let expected: SessionSummaryEntry | undefined;
    for (const batch of BATCHES) {
      await store.append(MAIN, batch);
      expected = foldSessionSummary(expected, MAIN, batch);
    }
    const found = await store.listSessionSummaries(PROJECT);
    expectSame('the ids of listSessionSummaries()', idsOf(found), [SESSION]);
    expectSame('data', found[0]?.data, expected?.data);
    expectMtime('mtime of a summary', found[0]?.mtime as number);
  }),

  optional(['listSessionSummaries'], 'summaries are those of main transcripts, of one project', async (store) => {
    await store.append(MAIN, entries('main'));
    await store.append(below('subagents/agent-1'), [{ type: 'custom-title', customTitle: 'sub' }]);
    await store.append(below('subagents/agent-1', OTHER), entries('only below'));
    await store.append(ELSEWHERE, entries('elsewhere'));
    const found = await store.listSessionSummaries(PROJECT);
    expectSame(
      'listSessionSummaries()',
      found.map(({ sessionId, data }) => [sessionId, data.customTitle]),
      [[SESSION, undefined]],
    );
    const none = await store.listSessionSummaries('-none');
    expectSame('listSessionSummaries() of an unknown project', none, []);
  }),

  optional(
    ['listSessionSummaries', 'listSessions'],
    'a summary is not older than its session in listSessions',
    async (store) => {
      await store.append(MAIN, entries('a'));
      await store.append(MAIN, entries('b'));
      const summary = (await store.listSessionSummaries(PROJECT))[0]?.mtime as number;
      const listed = (await store.listSessions(PROJECT))[0]?.mtime as number;
      expectThat(
        summary >= listed,
        `mtime of a summary (${summary}) must not be before that of listSessions() (${listed})`,
      );
    },
  ),

  optional(['listSessionSummaries'], 'a summary knows every one of the appends that run at once', async (store) => {
    await store.append(MAIN, [{ type: 'x' }]);
    await Promise.all(FIELDS.map((field) => store.append(MAIN, [{ type: 'x', [field]: `of ${field}` }])));
    const data = (await store.listSessionSummaries(PROJECT))[0]?.data;
    for (const field of FIELDS) expectSame(`data.${field}`, data?.[field], `of ${field}`);
  }),

  optional(['listSessionSummaries', 'delete'], 'delete removes the summary too', async (store) => {
    await store.append(MAIN, [{ type: 'custom-title', customTitle: 'old' }]);
    await store.append(OTHER, entries('other'));
    await store.delete(MAIN);
    const ids = idsOf(await store.listSessionSummaries(PROJECT));
    expectSame('the ids of listSessionSummaries()', ids, [OTHER_SESSION]);
    await store.append(MAIN, entries('again'));
    const again = (await store.listSessionSummaries(PROJECT)).find(({ sessionId }) => sessionId === SESSION);
    expectSame('customTitle of the session written again', again?.data.customTitle, undefined);
  }),
];

/** What `delete` promises. */
export const DELETE_CASES: readonly ContractCase[] = [
  optional(['delete'], 'delete removes a session; an unknown key is no error', async (store) => {
    await store.delete(MAIN);
    await store.delete(below('subagents/agent-1'));
    await store.append(MAIN, entries('main'));
    await store.delete(MAIN);
    expectSame('load() after delete()', await store.load(MAIN), null);
    await store.delete(MAIN);
    const listed = await store.listSessions?.(PROJECT);
    if (listed !== undefined) expectSame('listSessions() after delete()', listed, []);
  }),

  optional(['delete'], 'delete of a session removes what is below it and nothing else', async (store) => {
    const gone = [MAIN, below('subagents/agent-1'), below('subagents/deep/agent-2')];
    const kept = [OTHER, below('subagents/agent-1', OTHER), ELSEWHERE];
    for (const key of [...gone, ...kept]) await store.append(key, entries('x'));
    await store.delete(MAIN);
    for (const key of gone) expectSame(`load() of ${key.subpath ?? 'the session'}`, await store.load(key), null);
    for (const key of kept) expectSame('load() of what was not deleted', await store.load(key), entries('x'));
    const subkeys = await store.listSubkeys?.(MAIN);
    if (subkeys !== undefined) expectSame('listSubkeys() after delete()', subkeys, []);
  }),

  optional(['delete'], 'delete of a subpath removes that transcript alone', async (store) => {
    const kept = [MAIN, below('subagents/agent-2'), below('subagents/agent-10')];
    for (const key of [...kept, below('subagents/agent-1')]) await store.append(key, entries('x'));
    await store.delete(below('subagents/agent-1'));
    expectSame('load() after delete()', await store.load(below('subagents/agent-1')), null);
    for (const key of kept) expectSame('load() of what was not deleted', await store.load(key), entries('x'));
    const subkeys = await store.listSubkeys?.(MAIN);
    if (subkeys === undefined) return;
    expectSame('listSubkeys() after delete()', sorted('it', subkeys), ['subagents/agent-10', 'subagents/agent-2']);
  }),

  optional(['delete'], 'a deleted session can be written again', async (store) => {
    await store.append(MAIN, entries('old', 3));
    await store.append(below('subagents/agent-1'), entries('old'));
    await store.delete(MAIN);
    await store.append(MAIN, entries('old', 1));
    expectSame('load()', await store.load(MAIN), entries('old', 1));
    expectSame('load() below it', await store.load(below('subagents/agent-1')), null);
  }),
];

/** What `listSubkeys` promises. */
export const SUBKEY_CASES: readonly ContractCase[] = [
  optional(['listSubkeys'], 'listSubkeys gives the subpaths of its session', async (store) => {
    const subpaths = ['subagents/agent-1', 'subagents/workflows/run-1/agent-2', 'Upper_Case.x'];
    await store.append(MAIN, entries('main'));
    for (const subpath of subpaths) {
      await store.append(below(subpath), entries('x'));
      await store.append(below(subpath), entries('y'));
    }
    await store.append(below('subagents/agent-9', OTHER), entries('x'));
    await store.append(below('subagents/agent-8', ELSEWHERE), entries('x'));
    const found = await store.listSubkeys(MAIN);
    expectSame('listSubkeys()', sorted('it', found), [...subpaths].sort());
  }),

  optional(['listSubkeys'], 'listSubkeys leaves out the main transcript', async (store) => {
    await store.append(MAIN, entries('main'));
    const found = await store.listSubkeys(MAIN);
    expectSame('listSubkeys()', found, []);
    const none = await store.listSubkeys(OTHER);
    expectSame('listSubkeys() of an unknown session', none, []);
  }),
];
