import { describe, expect, test } from 'vitest';
import {
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  InvalidOptionError,
  listSessions,
  listSubagents,
  renameSession,
  SessionNotFoundError,
  type SessionStoreEntry,
  tagSession,
} from '../../../src/index.js';
import { loggingStore } from './logging-store.js';
import { ALL, DIR, ENTRIES, id, KEY, loads, PROJECT, S, SIDECHAIN } from './stored-session.js';

describe('reading a session from a store', () => {
  test('getSessionInfo makes one load; the time is that of the last entry that has one', async () => {
    const load = { [S]: [...ENTRIES, { type: 'tag', tag: 't' }] };
    const { store, calls } = loggingStore({ load }, ALL);
    expect(await getSessionInfo(S, { dir: DIR, sessionStore: store })).toEqual({
      sessionId: S,
      summary: 'hello',
      lastModified: Date.UTC(2026, 0, 1, 0, 0, 4),
      fileSize: load[S]?.reduce((sum, entry) => sum + JSON.stringify(entry).length + 1, 0),
      firstPrompt: 'hello',
      gitBranch: 'main',
      tag: 't',
      createdAt: Date.UTC(2026, 0, 1, 0, 0, 1),
    });
    expect(calls).toEqual(loads(1));
  });

  test('getSessionMessages gives the chain and pages it', async () => {
    const { store } = loggingStore({ load: { [S]: ENTRIES } }, ALL);
    const all = await getSessionMessages(S, { sessionStore: store });
    expect(all.map(({ uuid }) => uuid)).toEqual(['u1', 'a2', 'u3', 'a4']);
    expect(all[0]).toMatchObject({ type: 'user', session_id: S, parent_tool_use_id: null });
    const page = await getSessionMessages(S, { limit: 1, offset: 1, sessionStore: store });
    expect(page.map(({ uuid }) => uuid)).toEqual(['a2']);
  });

  test('unknown sessions and ids that are no UUID are empty; the latter are not asked for', async () => {
    const { store, calls } = loggingStore({}, ALL);
    expect(await getSessionInfo(S, { sessionStore: store })).toBeUndefined();
    expect(await getSessionMessages(S, { sessionStore: store })).toEqual([]);
    calls.length = 0;
    expect(await getSessionInfo('../x', { sessionStore: store })).toBeUndefined();
    expect(await getSessionMessages('../x', { sessionStore: store })).toEqual([]);
    expect(await listSubagents('../x', { sessionStore: store })).toEqual([]);
    expect(await getSubagentMessages('../x', 'a', { sessionStore: store })).toEqual([]);
    expect(calls).toEqual([]);
  });

  test('what the store rejects with is what the caller gets', async () => {
    const mine = new Error('boom');
    const { store } = loggingStore({ load: { [S]: mine } }, ALL);
    await expect(getSessionInfo(S, { sessionStore: store })).rejects.toBe(mine);
    await expect(getSessionMessages(S, { sessionStore: store })).rejects.toBe(mine);
  });
});

describe('subagents in a store', () => {
  test('listSubagents takes ids from subpaths, each once', async () => {
    const subkeys = [
      'subagents/agent-x',
      'subagents/workflows/r/agent-y',
      'subagents/again/agent-x',
      'elsewhere/agent-z',
      'subagents/notes',
      'subagents/agent-',
    ];
    const { store, calls } = loggingStore({ subkeys }, ALL);
    expect(await listSubagents(S, { dir: DIR, sessionStore: store })).toEqual(['x', 'y']);
    expect(calls).toEqual([['listSubkeys', KEY]]);
  });

  test('listSubagents needs listSubkeys (PY-317)', async () => {
    const { store } = loggingStore({}, ['append', 'load']);
    await expect(listSubagents(S, { sessionStore: store })).rejects.toThrow(
      'sessionStore.listSubkeys is not implemented',
    );
  });

  test('getSubagentMessages finds the transcript by its subpath, with the parents of its metadata', async () => {
    const subpath = 'subagents/workflows/r/agent-x';
    const metadata = [
      { type: 'agent_metadata', toolUseId: 'old', parentAgentId: 'old' },
      { type: 'agent_metadata', toolUseId: 'call', parentAgentId: 5 },
    ];
    const load = { [subpath]: [metadata[0], ...SIDECHAIN, metadata[1]] };
    const { store, calls } = loggingStore({ subkeys: ['subagents/agent-xx', subpath], load }, ALL);
    const messages = await getSubagentMessages(S, 'x', { dir: DIR, limit: 3, sessionStore: store });
    expect(messages.map(({ uuid }) => uuid)).toEqual(['u1', 'a2', 'u3']);
    expect(messages[0]).toMatchObject({ parent_tool_use_id: 'call', parent_agent_id: null });
    expect(calls).toEqual([
      ['listSubkeys', KEY],
      ['load', { ...KEY, subpath }],
    ]);
  });

  test('without listSubkeys the usual subpath is asked for', async () => {
    const load = { 'subagents/agent-x': SIDECHAIN };
    const { store, calls } = loggingStore({ load }, ['append', 'load']);
    expect((await getSubagentMessages(S, 'x', { dir: DIR, sessionStore: store })).length).toBe(4);
    expect(calls).toEqual([['load', { ...KEY, subpath: 'subagents/agent-x' }]]);
  });

  test.each(['', '../x', 'a/b', 'a\\b', 'a\0b'])('an agent id %j asks for nothing', async (agentId) => {
    const { store, calls } = loggingStore({}, ['append', 'load']);
    expect(await getSubagentMessages(S, agentId, { sessionStore: store })).toEqual([]);
    expect(calls).toEqual([]);
  });
});

describe('changing a session in a store', () => {
  const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);

  test('renameSession is one append; whether the session exists is not asked', async () => {
    const { store, calls } = loggingStore({}, ALL);
    await renameSession(S, '  New T ', { dir: DIR, sessionStore: store });
    const entry = { type: 'custom-title', customTitle: 'New T', sessionId: S, uuid, timestamp };
    expect(calls).toEqual([['append', KEY, [entry]]]);
  });

  test.each([
    [' a\u200bb ', 'ab'],
    [null, ''],
  ])('tagSession %j is one append of the tag %j', async (tag, stored) => {
    const { store, calls } = loggingStore({}, ALL);
    await tagSession(S, tag, { dir: DIR, sessionStore: store });
    expect(calls).toEqual([['append', KEY, [{ type: 'tag', tag: stored, sessionId: S, uuid, timestamp }]]]);
  });

  test('deleteSession is one delete, and nothing on a store without it (PY-318)', async () => {
    const { store, calls } = loggingStore({}, ALL);
    await deleteSession(S, { dir: DIR, sessionStore: store });
    expect(calls).toEqual([['delete', KEY]]);
    const forever = loggingStore({ load: { [S]: ENTRIES } }, ['append', 'load']);
    await deleteSession(S, { dir: DIR, sessionStore: forever.store });
    expect(forever.calls).toEqual([]);
  });

  test('bad ids, titles and tags are refused before the store is asked', async () => {
    const { store, calls } = loggingStore({}, ALL);
    const options = { sessionStore: store };
    for (const change of [
      renameSession('../x', 't', options),
      renameSession(S, '  ', options),
      tagSession('../x', 't', options),
      tagSession(S, '\u200b', options),
      deleteSession('../x', options),
      forkSession('../x', options),
    ]) {
      await expect(change).rejects.toThrow(InvalidOptionError);
    }
    expect(calls).toEqual([]);
  });

  test('forkSession is one load and one append under a new id', async () => {
    const replacement = { type: 'content-replacement', sessionId: S, replacements: [{ a: 1 }] };
    const load = { [S]: [...ENTRIES, replacement] };
    const { store, calls } = loggingStore({ load, subkeys: ['subagents/agent-x'] }, ALL);
    const { sessionId } = await forkSession(S, { dir: DIR, sessionStore: store });
    expect(sessionId).not.toBe(S);
    expect(calls.map(([method, key]) => [method, key])).toEqual([
      ['load', KEY],
      ['append', { projectKey: PROJECT, sessionId }],
    ]);
    const forked = calls[1]?.[2] as SessionStoreEntry[];
    expect(forked.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'content-replacement',
      'custom-title',
    ]);
    expect(forked[0]).toMatchObject({ sessionId, parentUuid: null, forkedFrom: { sessionId: S, messageUuid: 'u1' } });
    expect(forked[5]).toEqual({ type: 'custom-title', customTitle: 'hello (fork)', sessionId, uuid, timestamp });
  });

  test('forkSession of what is not there, or has no messages, or not that one', async () => {
    const load = { [id(2)]: [], [id(3)]: [{ type: 'mode' }], [id(4)]: ENTRIES };
    const { store, calls } = loggingStore({ load }, ALL);
    const fork = (digit: number, options = {}) => forkSession(id(digit), { ...options, sessionStore: store });
    await expect(fork(1)).rejects.toThrow(`Session ${id(1)} not found`);
    await expect(fork(2)).rejects.toThrow(SessionNotFoundError);
    await expect(fork(3)).rejects.toThrow('has no messages to fork');
    await expect(fork(4, { upToMessageId: 'zz' })).rejects.toThrow(`Message zz not found in session ${id(4)}`);
    expect(calls.every(([method]) => method === 'load')).toBe(true);
  });

  test('over the in-memory store, from fork to delete', async () => {
    const sessionStore = new InMemorySessionStore();
    await sessionStore.append(KEY, ENTRIES);
    const options = { dir: DIR, sessionStore };
    const fork = await forkSession(S, { ...options, upToMessageId: 'a2', title: 'The fork' });
    await renameSession(S, 'The source', options);
    await tagSession(S, 'done', options);
    const rows = await listSessions(options);
    expect(rows.map(({ sessionId, summary, tag }) => [sessionId, summary, tag])).toEqual([
      [S, 'The source', 'done'],
      [fork.sessionId, 'The fork', undefined],
    ]);
    expect((await getSessionMessages(fork.sessionId, options)).length).toBe(2);
    await deleteSession(S, options);
    expect((await listSessions(options)).map(({ sessionId }) => sessionId)).toEqual([fork.sessionId]);
  });
});
