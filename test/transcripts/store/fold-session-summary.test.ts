import { describe, expect, test } from 'vitest';
import { foldSessionSummary, type SessionStoreEntry } from '../../../src/index.js';

const KEY = { projectKey: 'p', sessionId: 's' };
const user = (content: unknown, more: object = {}): SessionStoreEntry => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const dataOf = (...entries: SessionStoreEntry[]) => foldSessionSummary(undefined, KEY, entries).data;

describe('foldSessionSummary (TS-184, PY-319)', () => {
  test('keeps the first of time, directory and prompt, and the last of the rest', () => {
    const first = user('hello', { timestamp: '2026-01-01T00:00:01.000Z', cwd: '/a', gitBranch: 'x' });
    const second = user('more', { timestamp: '2026-01-01T00:00:02.000Z', cwd: '/b', gitBranch: 'y' });
    expect(dataOf(first, second)).toEqual({
      isSidechain: false,
      createdAt: Date.UTC(2026, 0, 1, 0, 0, 1),
      cwd: '/a',
      firstPrompt: 'hello',
      firstPromptLocked: true,
      gitBranch: 'y',
    });
  });

  test('takes a title from an entry of any type, as the official fold does', () => {
    const entries = [{ type: 'user', customTitle: 'T', message: { role: 'user', content: 'Hi.' } }];
    const key = { projectKey: 'p', sessionId: 's' };
    expect(foldSessionSummary(undefined, key, entries).data).toMatchObject({ customTitle: 'T' });
  });

  test('gives the same for many small batches as for one', () => {
    const entries = [
      user('<command-name>/init</command-name>', { cwd: '/a', isSidechain: true }),
      { type: 'custom-title', customTitle: 'one' },
      user('a prompt', { timestamp: '2026-01-01T00:00:00.000Z' }),
      { type: 'tag', tag: 't' },
      { type: 'ai-title', aiTitle: 'ai' },
      { type: 'last-prompt', lastPrompt: 'last' },
      { type: 'summary', summary: 'sum' },
      { type: 'custom-title', customTitle: 'two' },
      user('a later prompt', { cwd: '/b', gitBranch: 'main' }),
    ];
    let folded = foldSessionSummary(undefined, KEY, []);
    for (const entry of entries) folded = foldSessionSummary(folded, KEY, [entry]);
    expect(folded.data).toEqual(dataOf(...entries));
    expect(folded.data).toEqual({
      commandFallback: '/init',
      isSidechain: true,
      createdAt: Date.UTC(2026, 0, 1),
      cwd: '/a',
      firstPrompt: 'a prompt',
      firstPromptLocked: true,
      customTitle: 'two',
      aiTitle: 'ai',
      lastPrompt: 'last',
      summaryHint: 'sum',
      gitBranch: 'main',
      tag: 't',
    });
  });

  test('leaves the previous summary as it is', () => {
    const prev = { sessionId: 's', mtime: 1, data: { customTitle: 'a', tag: 't' } };
    const folded = foldSessionSummary(prev, KEY, [
      { type: 'custom-title', customTitle: 'b' },
      { type: 'tag', tag: '' },
    ]);
    expect(prev).toEqual({ sessionId: 's', mtime: 1, data: { customTitle: 'a', tag: 't' } });
    expect(folded.data).toEqual({ customTitle: 'b', isSidechain: false });
  });

  test('takes mtime from the option, else from before, never from an entry', () => {
    const entries = [user('x', { timestamp: '2026-01-01T00:00:00.000Z' })];
    const prev = { sessionId: 's', mtime: 5, data: {} };
    expect(foldSessionSummary(undefined, KEY, entries).mtime).toBe(0);
    expect(foldSessionSummary(prev, KEY, entries).mtime).toBe(5);
    expect(foldSessionSummary(prev, KEY, entries, {}).mtime).toBe(5);
    expect(foldSessionSummary(prev, KEY, entries, { mtime: 9 }).mtime).toBe(9);
  });

  test('keeps what it does not know, for a newer SDK that does', () => {
    const prev = { sessionId: 's', mtime: 5, data: { later: { a: 1 } } };
    expect(foldSessionSummary(prev, KEY, []).data).toEqual({ later: { a: 1 } });
  });

  const tags: readonly [string, SessionStoreEntry[], unknown][] = [
    [
      'the last one counts',
      [
        { type: 'tag', tag: 'a' },
        { type: 'tag', tag: 'b' },
      ],
      'b',
    ],
    [
      'an empty one removes it',
      [
        { type: 'tag', tag: 'a' },
        { type: 'tag', tag: '' },
      ],
      undefined,
    ],
    [
      'one that is no text removes it',
      [
        { type: 'tag', tag: 'a' },
        { type: 'tag', tag: 5 },
      ],
      undefined,
    ],
    ['a field of another entry is none', [{ type: 'user', tag: 'a' }], undefined],
    ['key order does not matter', [JSON.parse('{"tag":"a","type":"tag"}') as SessionStoreEntry], 'a'],
  ];
  test.each(tags)('tags: %s', (_name, entries, tag) => {
    expect(dataOf(...entries).tag).toBe(tag);
  });

  const prompts: readonly [string, SessionStoreEntry[], unknown, unknown?][] = [
    ['one line, trimmed', [user('  two\nlines  ')], 'two lines'],
    ['at most 200 characters', [user('x'.repeat(250))], `${'x'.repeat(200)}…`],
    [
      'the first text of the content',
      [
        user([
          { type: 'text', text: ' ' },
          { type: 'text', text: 'b' },
        ]),
      ],
      'b',
    ],
    ['not a tool result', [user([{ type: 'tool_result' }, { type: 'text', text: 'a' }]), user('z')], 'z'],
    ['not meta', [user('a', { isMeta: true }), user('z')], 'z'],
    ['not a compaction', [user('a', { isCompactSummary: true }), user('z')], 'z'],
    ['not what the CLI wrote', [user('<task-notification>a'), user('z')], 'z'],
    ['not an interrupt', [user('[Request interrupted by user for tool use]'), user('z')], 'z'],
    ['a shell command', [user('<bash-input>ls</bash-input>')], '! ls'],
    ['a slash command only as a last resort', [user('<command-name>/a</command-name>')], undefined, '/a'],
    ['not of an assistant', [{ ...user('a'), type: 'assistant' }, user('z')], 'z'],
  ];
  test.each(prompts)('first prompt: %s', (_name, entries, firstPrompt, commandFallback) => {
    const data = dataOf(...entries);
    expect(data.firstPrompt).toBe(firstPrompt);
    expect(data.commandFallback).toBe(commandFallback);
  });

  test('passes over entries that are no objects', () => {
    expect(dataOf(null as never, 5 as never, user('z')).firstPrompt).toBe('z');
  });
});

test('a session that moved to a git worktree has its directory, until it moves again', () => {
  const moved = (relocatedCwd: unknown) => ({ type: 'relocated', relocatedCwd });
  const cwdOf = (...entries: SessionStoreEntry[]) => {
    const key = { projectKey: 'p', sessionId: 's' };
    return foldSessionSummary(foldSessionSummary(undefined, key, entries.slice(0, 2)), key, entries.slice(2)).data.cwd;
  };
  expect(cwdOf(user('a', { cwd: '/w' }), moved('/w/tree'), user('b', { cwd: '/w/other' }))).toBe('/w/tree');
  expect(cwdOf(user('a', { cwd: '/w' }), moved('/w/tree'), moved('/w'))).toBe('/w');
  expect(cwdOf(user('a', { cwd: '/w' }), moved(''), moved(5))).toBe('/w');
});
