import { type ContractCase, optional } from './contract-case.js';
import { expectSame, sorted } from './expect.js';
import { below, entries, MAIN, OTHER_PROJECT, OTHER_SESSION, PROJECT, SESSION } from './sample.js';

const OTHER = { ...MAIN, sessionId: OTHER_SESSION };
const ELSEWHERE = { ...MAIN, projectKey: OTHER_PROJECT };

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

  optional(
    ['delete'],
    'delete of a session removes what is below it and nothing else',
    async (store) => {
      const gone = [MAIN, below('subagents/agent-1'), below('subagents/deep/agent-2')];
      const kept = [OTHER, below('subagents/agent-1', OTHER), ELSEWHERE];
      for (const key of [...gone, ...kept]) await store.append(key, entries('x'));
      await store.delete(MAIN);
      for (const key of gone) {
        expectSame(`load() of ${key.subpath ?? 'the session'}`, await store.load(key), null);
      }
      for (const key of kept) {
        expectSame('load() of what was not deleted', await store.load(key), entries('x'));
      }
      const subkeys = await store.listSubkeys?.({ projectKey: PROJECT, sessionId: SESSION });
      if (subkeys !== undefined) expectSame('listSubkeys() after delete()', subkeys, []);
    },
  ),

  optional(['delete'], 'delete of a subpath removes that transcript alone', async (store) => {
    const kept = [MAIN, below('subagents/agent-2'), below('subagents/agent-10')];
    for (const key of [...kept, below('subagents/agent-1')]) await store.append(key, entries('x'));
    await store.delete(below('subagents/agent-1'));
    expectSame('load() after delete()', await store.load(below('subagents/agent-1')), null);
    for (const key of kept) {
      expectSame('load() of what was not deleted', await store.load(key), entries('x'));
    }
    const subkeys = await store.listSubkeys?.({ projectKey: PROJECT, sessionId: SESSION });
    if (subkeys === undefined) return;
    expectSame('listSubkeys() after delete()', sorted('it', subkeys), [
      'subagents/agent-10',
      'subagents/agent-2',
    ]);
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
    const found = await store.listSubkeys({ projectKey: PROJECT, sessionId: SESSION });
    expectSame('listSubkeys()', sorted('it', found), [...subpaths].sort());
  }),

  optional(['listSubkeys'], 'listSubkeys leaves out the main transcript', async (store) => {
    await store.append(MAIN, entries('main'));
    const found = await store.listSubkeys({ projectKey: PROJECT, sessionId: SESSION });
    expectSame('listSubkeys()', found, []);
    const none = await store.listSubkeys({ projectKey: PROJECT, sessionId: OTHER_SESSION });
    expectSame('listSubkeys() of an unknown session', none, []);
  }),
];
