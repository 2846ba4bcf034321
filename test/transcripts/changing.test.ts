import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InvalidOptionError, SessionFileError, SessionNotFoundError } from '../../src/errors.js';
import {
  archiveSession,
  deleteSession,
  renameSession,
  tagSession,
  unarchiveSession,
} from '../../src/transcripts/change-session.js';
import { forkSession } from '../../src/transcripts/fork-session.js';
import { getSessionInfo } from '../../src/transcripts/list-sessions.js';
import { FileSessionStore } from '../../src/transcripts/store/file-session-store.js';
import { importSessionToStore } from '../../src/transcripts/store/import-session.js';
import { InMemorySessionStore } from '../../src/transcripts/store/in-memory-session-store.js';
import { assistant, type Entry, linked, SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

const folder = useSessionFolder();
const hi = user(1, null, 'hi');
const changes: Readonly<Record<string, (id: string, dir?: string) => Promise<unknown>>> = {
  renameSession: (id, dir) => renameSession(id, 'T', dirOf(dir)),
  tagSession: (id, dir) => tagSession(id, 't', dirOf(dir)),
  archiveSession: (id, dir) => archiveSession(id, dirOf(dir)),
  unarchiveSession: (id, dir) => unarchiveSession(id, dirOf(dir)),
  forkSession: (id, dir) => forkSession(id, dirOf(dir)),
  deleteSession: (id, dir) => deleteSession(id, dirOf(dir)),
};

function dirOf(dir: string | undefined): { dir?: string } {
  return dir === undefined ? {} : { dir };
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

describe.each(Object.entries(changes))('%s', (_, change) => {
  test.each(['../../x', 'x', '', `${SESSION}\n`, 5])(
    'refuses the id %j before any path is built (PY-297)',
    async (id) => {
      // A caller without types can give anything.
      const error = await failure(change(id as string));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toMatchObject({ option: 'sessionId', message: expect.stringMatching(/^Invalid sessionId/) });
    },
  );

  test('says that there is no such session, and where it was looked for (PY-297)', async () => {
    folder.put([hi]);
    const error = await failure(change(uuid(9)));
    expect(error).toBeInstanceOf(SessionNotFoundError);
    expect(error).toMatchObject({
      errorClass: 'session_not_found',
      sessionId: uuid(9),
      message: `Session ${uuid(9)} not found in any project directory`,
    });
    expect(await failure(change(SESSION, '/elsewhere'))).toMatchObject({
      message: `Session ${SESSION} not found in project directory for /elsewhere`,
    });
  });

  test('takes an empty file, a folder and a link to the outside for no session', async () => {
    const outside = join(folder.base, 'outside.jsonl');
    writeFileSync(outside, `${JSON.stringify(hi)}\n`);
    folder.put('', uuid(1));
    mkdirSync(folder.path(uuid(2)));
    symlinkSync(outside, folder.path(uuid(3)));
    for (const n of [1, 2, 3]) {
      expect(await failure(change(uuid(n)))).toBeInstanceOf(SessionNotFoundError);
    }
    expect(readFileSync(outside, 'utf8')).toBe(`${JSON.stringify(hi)}\n`);
    expect(readdirSync(dirname(folder.path())).sort()).toHaveLength(3);
  });

  test('passes over an empty stub in another folder (PY-298)', async () => {
    folder.put('', SESSION, '-a');
    folder.put([hi], SESSION, '-b');
    await change(SESSION);
    expect(readFileSync(folder.path(SESSION, '-a'), 'utf8')).toBe('');
  });
});

describe('one wording for arguments of a wrong kind', () => {
  const store = 5 as never;
  test.each<[string, () => Promise<unknown>]>([
    ['options', () => deleteSession(SESSION, 'x' as never)],
    ['dir', () => deleteSession(SESSION, { dir: 5 as never })],
    ['sessionStore', () => deleteSession(SESSION, { sessionStore: store })],
    ['store', () => importSessionToStore(SESSION, store)],
    ['batchSize', () => importSessionToStore(SESSION, new InMemorySessionStore(), { batchSize: 'x' as never })],
    ['tag', () => tagSession(SESSION, store)],
    ['key', () => new InMemorySessionStore().load(store)],
    ['key.sessionId', () => new InMemorySessionStore().load({ projectKey: 'p', sessionId: '' })],
    ['entries', () => new InMemorySessionStore().append({ projectKey: 'p', sessionId: 's' }, store)],
    ['directory', async () => new FileSessionStore(store)],
  ])('%s', async (option, call) => {
    const error = await failure(call());
    expect(error).toMatchObject({ errorClass: 'invalid_option', option });
    const { message } = error as Error;
    const head = `Option \`${option}\` must be `;
    expect(message.slice(0, head.length)).toBe(head);
    expect(message).toMatch(/, got (?:number 5|string "x?")\.$/);
  });
});

test('with a store an unknown session is created by a title or a tag, and its deletion is no error', async () => {
  const sessionStore = new InMemorySessionStore();
  await deleteSession(SESSION, { sessionStore });
  await renameSession(SESSION, 'T', { sessionStore });
  await tagSession(SESSION, 'a', { sessionStore });
  expect(await getSessionInfo(SESSION, { sessionStore })).toMatchObject({ customTitle: 'T', tag: 'a' });
  await tagSession(SESSION, null, { sessionStore });
  expect(await getSessionInfo(SESSION, { sessionStore })).not.toHaveProperty('tag');
});

describe('renameSession', () => {
  test('adds one compact line with the trimmed title, which wins in listings (TS-183, PY-295)', async () => {
    const path = folder.put([hi]);
    await renameSession(SESSION, ' Tü" ');
    expect(readFileSync(path, 'utf8')).toBe(
      `${JSON.stringify(hi)}\n{"type":"custom-title","customTitle":"Tü\\"","sessionId":"${SESSION}"}\n`,
    );
    expect(await getSessionInfo(SESSION)).toMatchObject({ summary: 'Tü"', customTitle: 'Tü"' });
  });

  test('ends a last line that was cut, so that both lines can be read', async () => {
    const path = folder.put(`${JSON.stringify(hi)}\n{"type":"assis`);
    await renameSession(SESSION, 'T');
    expect(readFileSync(path, 'utf8').split('\n').slice(1, -1)).toEqual([
      '{"type":"assis',
      expect.stringContaining('"customTitle":"T"'),
    ]);
  });

  test.each(['', '  ', '\ufeff', 5, undefined])('refuses the title %j (PY-296)', async (title) => {
    folder.put([hi]);
    const error = await failure(renameSession(SESSION, title as string));
    expect(error).toMatchObject({ errorClass: 'invalid_option', option: 'title' });
    expect(folder.lines()).toHaveLength(1);
  });

  test.each([
    ['', 'title must be non-empty, got string "".'],
    [' \t', 'title must be non-empty, got string " \\t".'],
    [5, 'Option `title` must be a string, got number 5.'],
  ])('says of the title %j what is wrong with it', async (title, message) => {
    folder.put([hi]);
    const error = await failure(renameSession(SESSION, title as string));
    expect(error).toMatchObject({ message });
  });

  test('twenty at once leave twenty whole lines', async () => {
    folder.put([hi]);
    const titles = Array.from({ length: 20 }, (_, index) => `T${index}`);
    await Promise.all(titles.map((title) => renameSession(SESSION, title)));
    const written = folder.lines().slice(1);
    expect(written.map(({ customTitle }) => customTitle).sort()).toEqual([...titles].sort());
  });
});

describe('tagSession', () => {
  test('adds a tag, and removes it with an empty one (TS-183, PY-299)', async () => {
    folder.put([hi]);
    await tagSession(SESSION, ' a ');
    expect(folder.lines().at(-1)).toEqual({ type: 'tag', tag: 'a', sessionId: SESSION });
    expect((await getSessionInfo(SESSION))?.tag).toBe('a');
    await tagSession(SESSION, null);
    expect(folder.lines().at(-1)).toEqual({ type: 'tag', tag: '', sessionId: SESSION });
    expect((await getSessionInfo(SESSION))?.tag).toBeUndefined();
  });

  test.each([
    ['a\u00adb', 'ab'],
    ['a\u200b\u202e\ufeffb', 'ab'],
    ['\ue000x\u{e0041}', 'x'],
    ['\ufb01', 'fi'],
    ['e\u0301', 'é'],
    ['a\nb', 'a\nb'],
    ['\ud800x', 'x'],
  ])('%j becomes %j (PY-300)', async (tag, stored) => {
    folder.put([hi]);
    await tagSession(SESSION, tag);
    expect(folder.lines().at(-1)?.tag).toBe(stored);
  });

  test.each(['', ' ', '\u200b', 5, undefined])('refuses the tag %j (PY-296)', async (tag) => {
    folder.put([hi]);
    const error = await failure(tagSession(SESSION, tag as string));
    expect(error).toMatchObject({ errorClass: 'invalid_option', option: 'tag' });
    expect(folder.lines()).toHaveLength(1);
  });
});

describe('archiveSession and unarchiveSession', () => {
  const mark = () => join(dirname(folder.path()), SESSION, 'archived.json');
  const state = async () => (await getSessionInfo(SESSION))?.archived;

  test('set a mark beside the transcript and take it back; both can be repeated (TS-183)', async () => {
    folder.put([hi]);
    expect(await state()).toBeUndefined();
    for (const archived of [true, true, false, false]) {
      await (archived ? archiveSession(SESSION) : unarchiveSession(SESSION));
      expect(JSON.parse(readFileSync(mark(), 'utf8'))).toEqual({
        archived,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        by: 'sdk',
      });
      expect(await state()).toBe(archived);
    }
    expect(statSync(mark()).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(mark())).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(mark()))).toEqual(['archived.json']);
    expect(folder.lines()).toEqual([hi]);
  });

  const later = { timestamp: '2999-01-01T00:00:00Z' };
  const uses: readonly [name: string, entry: Entry, archived: boolean][] = [
    ['a prompt', user(2, 1, 'x', later), false],
    ['a shell command', user(2, 1, '<bash-input>ls</bash-input>', later), false],
    ['an answer', assistant(2, 1, 'x', later), true],
    ['a tool’s result', user(2, 1, [{ type: 'tool_result' }], later), true],
    ['a subagent’s prompt', user(2, 1, 'x', { ...later, isSidechain: true }), true],
    ['a note of a task', user(2, 1, 'x', { ...later, origin: { kind: 'task' } }), true],
    [
      'a queued prompt',
      linked('attachment', 2, 1, { ...later, attachment: { type: 'queued_command', prompt: 'x' } }),
      false,
    ],
  ];
  test.each(uses)('%s after it: %j', async (_, entry, archived) => {
    folder.put([hi]);
    await archiveSession(SESSION);
    folder.put([hi, entry]);
    expect(await state()).toBe(archived);
  });

  test.each(['nope', 'null', '{"archived":true}', '{"archived":true,"at":5}', ''])(
    'a mark %j counts as none',
    async (text) => {
      folder.put([hi]);
      mkdirSync(dirname(mark()));
      writeFileSync(mark(), text);
      expect(await state()).toBeUndefined();
    },
  );

  test('are refused with a store', async () => {
    folder.put([hi]);
    const sessionStore = new InMemorySessionStore();
    for (const change of [archiveSession, unarchiveSession]) {
      const error = await failure(change(SESSION, { sessionStore }));
      expect(error).toMatchObject({ option: 'sessionStore', message: expect.stringMatching(/not supported/) });
    }
  });

  test('write nothing through a link in the place of the session’s folder', async () => {
    folder.put([hi]);
    const outside = join(folder.base, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, dirname(mark()));
    expect(await failure(archiveSession(SESSION))).toBeInstanceOf(SessionFileError);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe('deleteSession', () => {
  test('removes the transcript and the session’s folder, and nothing else (TS-183, PY-301)', async () => {
    folder.put([hi]);
    folder.put([hi], uuid(2));
    const own = join(dirname(folder.path()), SESSION, 'subagents');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'agent-a.jsonl'), 'x');
    await deleteSession(SESSION);
    expect(readdirSync(dirname(folder.path()))).toEqual([`${uuid(2)}.jsonl`]);
    expect(await failure(deleteSession(SESSION))).toBeInstanceOf(SessionNotFoundError);
  });

  test('removes a link in the place of the folder, not what it leads to', async () => {
    folder.put([hi]);
    const outside = join(folder.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'kept'), '');
    const link = join(dirname(folder.path()), SESSION);
    symlinkSync(outside, link);
    await deleteSession(SESSION);
    expect(readdirSync(outside)).toEqual(['kept']);
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('forkSession', () => {
  const source = [
    user(1, null, 'hi', { teamName: 't', agentName: 'a', slug: 's', sourceToolAssistantUUID: 'u' }),
    linked('progress', 2, 1, {}),
    assistant(3, 2, 'yo'),
    assistant(4, 3, 'aside', { isSidechain: true }),
    user(5, 3, 'line\u2028separator'),
    { type: 'tag', tag: 'x', sessionId: SESSION },
  ];

  async function forked(options = {}): Promise<Entry[]> {
    const { sessionId } = await forkSession(SESSION, options);
    expect(sessionId).not.toBe(SESSION);
    expect(statSync(folder.path(sessionId)).mode & 0o777).toBe(0o600);
    return folder.lines(folder.path(sessionId));
  }

  test('copies the conversation with new uuids and the same links (TS-183, PY-302, PY-305)', async () => {
    folder.put(source);
    const before = readFileSync(folder.path());
    const copy = await forked();
    expect(readFileSync(folder.path())).toEqual(before);
    expect(copy.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'custom-title']);
    const [first, second, third] = copy;
    expect(first).toEqual({
      ...hi,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sessionId: first?.sessionId,
      forkedFrom: { sessionId: SESSION, messageUuid: uuid(1) },
    });
    expect(second).toMatchObject({
      parentUuid: first?.uuid,
      requestSessionId: SESSION,
      timestamp: source[2]?.timestamp,
    });
    expect(third).toMatchObject({ parentUuid: second?.uuid, message: { content: 'line\u2028separator' } });
    expect(third?.timestamp).not.toBe(source[4]?.timestamp);
    const own = [SESSION, ...[1, 2, 3, 4, 5].map(uuid)];
    for (const { uuid: id, sessionId } of copy) expect(own).not.toContain(id ?? sessionId);
    expect(readdirSync(dirname(folder.path()))).toHaveLength(2);
  });

  test('ends with the message that is named (PY-303)', async () => {
    folder.put(source);
    const copy = await forked({ upToMessageId: uuid(3) });
    expect(copy.map(({ type }) => type)).toEqual(['user', 'assistant', 'custom-title']);
  });

  test.each([uuid(99), uuid(4), 'x'])('refuses to end with %s (PY-303)', async (upToMessageId) => {
    folder.put(source);
    const error = await failure(forkSession(SESSION, { upToMessageId }));
    expect(error).toMatchObject({
      errorClass: 'invalid_option',
      message: `Message ${upToMessageId} not found in session ${SESSION}`,
    });
    expect(readdirSync(dirname(folder.path()))).toEqual([`${SESSION}.jsonl`]);
  });

  test.each([
    [{ title: ' Mine ' }, 'Mine'],
    [{}, 'hi (fork)'],
    [{ title: ' ' }, 'hi (fork)'],
  ])('the title with %j is %j (PY-304)', async (options, customTitle) => {
    folder.put(source);
    const copy = await forked(options);
    expect(copy.at(-1)).toMatchObject({ type: 'custom-title', customTitle });
  });

  test('a cut between a compaction’s boundary and its summary moves before the boundary', async () => {
    const boundary = linked('system', 6, null, {
      subtype: 'compact_boundary',
      compactMetadata: { preservedSegment: { headUuid: uuid(5), anchorUuid: uuid(7), tailUuid: uuid(5) } },
    });
    const summary = user(7, 6, 's', { isCompactSummary: true });
    folder.put([...source, boundary, summary, user(8, 7, 'q')]);
    const before = await forked({ upToMessageId: uuid(6) });
    expect(before.map(({ type }) => type)).not.toContain('system');
    const at = await forked({ upToMessageId: uuid(7) });
    expect(at.find(({ type }) => type === 'system')?.compactMetadata).toEqual({});
    const whole = await forked();
    const [anchor, kept] = [7, 5].map((n) => copyOf(whole, n)?.uuid);
    expect(copyOf(whole, 6)?.compactMetadata).toEqual({
      preservedSegment: { headUuid: kept, anchorUuid: anchor, tailUuid: kept },
    });
  });

  function copyOf(entries: readonly Entry[], n: number): Entry | undefined {
    return entries.find(({ forkedFrom }) => {
      const from = forkedFrom as { messageUuid: string } | undefined;
      return from?.messageUuid === uuid(n);
    });
  }

  test('nothing to copy is an error that says so', async () => {
    folder.put([{ type: 'mode' }, user(1, null, 'x', { isSidechain: true })]);
    expect(await failure(forkSession(SESSION))).toMatchObject({
      errorClass: 'session_not_found',
      message: `Session ${SESSION} has no messages to fork`,
    });
    expect(existsSync(join(dirname(folder.path()), SESSION))).toBe(false);
  });
});
