import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { InvalidOptionError } from '../../src/errors.js';
import { deleteSession, renameSession } from '../../src/transcripts/change-session.js';
import { folderNameOf, projectKeyForDirectory } from '../../src/transcripts/files/project-folder.js';
import { getSessionInfo, listSessions } from '../../src/transcripts/list-sessions.js';
import { getSessionMessages } from '../../src/transcripts/session-messages.js';
import { makeGitFolder } from '../helpers/git-folder.js';
import { assistant, type Entry, SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

vi.mock('node:os', { spy: true });

const folder = useSessionFolder();
const hi = user(1, null, 'hi');
const far = (n: number) => assistant(n, 1, 'y'.repeat(70_000));
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
const PDF = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } };
const title = (customTitle: string) => ({ type: 'custom-title', customTitle, sessionId: SESSION });
const ids = async (options = {}) => (await listSessions(options)).map(({ sessionId }) => sessionId);

function setTime(path: string, seconds: number): void {
  utimesSync(path, seconds, seconds);
}

const rows: readonly {
  readonly name: string;
  readonly lines: readonly (Entry | string)[] | string | Buffer;
  readonly row: Entry | undefined;
}[] = [
  { name: 'the first prompt (PY-283)', lines: [hi], row: { summary: 'hi', firstPrompt: 'hi' } },
  {
    name: 'a given title before a generated one (PY-283)',
    lines: [hi, title('T'), { type: 'ai-title', aiTitle: 'A' }],
    row: { summary: 'T', customTitle: 'T' },
  },
  {
    name: 'a generated title before the last prompt (PY-283)',
    lines: [hi, { type: 'ai-title', aiTitle: 'A' }, { type: 'last-prompt', lastPrompt: 'L' }],
    row: { summary: 'A', customTitle: 'A' },
  },
  {
    name: 'the last prompt before a summary (PY-283)',
    lines: [hi, { type: 'last-prompt', lastPrompt: 'L' }, { type: 'summary', summary: 'S' }],
    row: { summary: 'L', customTitle: undefined },
  },
  {
    name: 'a summary before the first prompt (PY-283)',
    lines: [hi, { type: 'summary', summary: 'S' }],
    row: { summary: 'S', firstPrompt: 'hi' },
  },
  {
    name: 'a long prompt is cut, and not within a character (PY-284)',
    lines: [user(1, null, `a${'😀'.repeat(120)}`)],
    row: { firstPrompt: `a${'😀'.repeat(99)}…` },
  },
  {
    name: 'with slash commands only, the first one (PY-285)',
    lines: [user(1, null, '<command-name>/a</command-name>'), user(2, 1, '<command-name>/b</command-name>')],
    row: { firstPrompt: '/a' },
  },
  { name: 'an image only', lines: [user(1, null, [IMAGE])], row: { summary: 'Image', firstPrompt: undefined } },
  { name: 'a document only', lines: [user(1, null, [PDF])], row: { summary: 'Document', firstPrompt: undefined } },
  { name: 'a document with an image', lines: [user(1, null, [PDF, IMAGE])], row: { summary: 'Image' } },
  {
    name: 'an image that is longer than what is read',
    lines: [user(1, null, [{ ...IMAGE, source: { data: 'A'.repeat(70_000) } }]), far(2)],
    row: { summary: 'Image' },
  },
  {
    name: 'a text before an earlier image',
    lines: [user(1, null, [IMAGE]), assistant(2, 1, 'x'), user(3, 2, 'second')],
    row: { summary: 'second', firstPrompt: 'second' },
  },
  {
    name: 'a command before an earlier image',
    lines: [user(1, null, [IMAGE]), user(2, 1, '<command-name>/a</command-name>')],
    row: { summary: '/a', firstPrompt: '/a' },
  },
  {
    name: 'an image that the CLI’s own text comes with',
    lines: [user(1, null, [{ type: 'text', text: '[Request interrupted by user]' }, IMAGE])],
    row: { summary: 'Image', firstPrompt: undefined },
  },
  {
    name: 'an image of a tool or of the CLI is no prompt',
    lines: [
      user(1, null, [IMAGE], { isMeta: true }),
      user(2, 1, [{ type: 'tool_result', tool_use_id: 't', content: [IMAGE] }, IMAGE]),
    ],
    row: undefined,
  },
  {
    name: 'a shell command is shown as one',
    lines: [user(1, null, '<bash-input>ls -l</bash-input>')],
    row: { firstPrompt: '! ls -l' },
  },
  {
    name: 'the last tag counts, one in the input of a tool does not (PY-286)',
    lines: [
      hi,
      { type: 'tag', tag: 'a' },
      { type: 'tag', tag: 'b' },
      user(2, 1, [{ type: 'tool_use', input: { type: 'tag', tag: 'c' } }]),
    ],
    row: { tag: 'b' },
  },
  {
    name: 'an empty tag removes it (PY-286)',
    lines: [hi, { type: 'tag', tag: 'a' }, { type: 'tag', tag: '' }],
    row: { tag: undefined },
  },
  {
    name: 'the first time that is there (PY-287)',
    lines: [{ type: 'mode' }, hi],
    row: { createdAt: Date.parse('2026-01-01T00:00:01.000Z') },
  },
  {
    name: 'an invalid time is none (PY-287)',
    lines: [{ type: 'mode', timestamp: 'nope' }, hi],
    row: { createdAt: undefined },
  },
  {
    name: 'the branch at the end, the directory at the beginning',
    lines: [{ ...hi, gitBranch: 'a', cwd: '/a' }, assistant(2, 1, 'x', { gitBranch: 'b', cwd: '/b' })],
    row: { gitBranch: 'b', cwd: '/a' },
  },
  {
    name: 'fields of nested objects are not the entry’s',
    lines: [user(1, null, [{ type: 'text', text: 'hi', gitBranch: 'no', isMeta: true }], { gitBranch: 'a' })],
    row: { gitBranch: 'a', firstPrompt: 'hi' },
  },
  {
    name: 'what is far from both ends is not read',
    lines: [hi, far(2), title('T'), far(3)],
    row: { summary: 'hi', customTitle: undefined },
  },
  {
    name: 'a title at the beginning of a long transcript',
    lines: [hi, title('T'), far(2), far(3)],
    row: { customTitle: 'T' },
  },
  {
    name: 'CR LF, and a last line that was cut',
    lines: '{"type":"user","message":{"content":"hi"}}\r\n{"type":"custom-title","customTitle":"T"}\r\n{"ty',
    row: { customTitle: 'T', firstPrompt: 'hi' },
  },
  {
    name: 'text outside of ASCII, cut by the edge',
    lines: [hi, `{"z":"${'é'.repeat(60_000)}"}`, title('ü')],
    row: { customTitle: 'ü' },
  },
  { name: 'an empty file (PY-282)', lines: '', row: undefined },
  { name: 'nothing was said (PY-282)', lines: [{ type: 'mode' }], row: undefined },
  { name: 'a sidechain (PY-282)', lines: [user(1, null, 'hi', { isSidechain: true })], row: undefined },
];

describe('the row of a session', () => {
  for (const { name, lines, row } of rows) {
    test(`${name} (TS-182)`, async () => {
      folder.put(lines);
      const info = await getSessionInfo(SESSION);
      if (row === undefined) expect(info).toBeUndefined();
      else expect({ ...info, ...row }).toEqual({ sessionId: SESSION, ...info });
      expect(await listSessions()).toEqual(info === undefined ? [] : [info]);
    });
  }

  test('size and time are those of the file (TS-182)', async () => {
    const path = folder.put([hi]);
    setTime(path, 1_770_000_000.4);
    expect(await getSessionInfo(SESSION)).toMatchObject({
      lastModified: 1_770_000_000_400,
      fileSize: Buffer.byteLength(`${JSON.stringify(hi)}\n`),
    });
  });

  test.each(['../../x', 'x', '', 5])('the id %j has no row (PY-289)', async (id) => {
    folder.put([hi]);
    // A caller without types can give anything.
    expect(await getSessionInfo(id as string)).toBeUndefined();
  });
});

describe('where sessions are looked for', () => {
  test('below CLAUDE_CONFIG_DIR, else below the home folder (PY-276)', async () => {
    folder.put([hi]);
    expect(await ids()).toEqual([SESSION]);
    const home = join(folder.base, 'home');
    mkdirSync(home);
    renameSync(folder.config, join(home, '.claude'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', '');
    vi.mocked(homedir).mockReturnValueOnce(home);
    expect(await ids()).toEqual([SESSION]);
  });

  test('a directory’s folder is named after its real path (PY-277)', async () => {
    const work = join(folder.base, 'my work');
    mkdirSync(work);
    symlinkSync(work, join(folder.base, 'link'));
    folder.put([hi], SESSION, folderNameOf(work));
    for (const dir of [work, `${work}/`, join(folder.base, 'link')]) {
      expect(await listSessions({ dir })).toMatchObject([{ sessionId: SESSION, cwd: work }]);
      expect(projectKeyForDirectory(dir)).toBe(folderNameOf(work));
    }
    expect(folderNameOf(work)).toMatch(/^[a-zA-Z0-9-]+$/);
    expect(await listSessions({ dir: join(folder.base, 'nowhere') })).toEqual([]);
  });

  test('a directory’s name is spelled as on the disk, composed or not, as the CLI does', async () => {
    const work = join(folder.base, 'e\u0301x');
    mkdirSync(work);
    folder.put([hi], SESSION, `${folderNameOf(folder.base)}-e-x`);
    expect(await ids({ dir: work })).toEqual([SESSION]);
    expect(projectKeyForDirectory(work)).toMatch(/-e-x$/);
  });

  test('a long name ends in a hash; with another hash it is found too, if a session began in the directory (PY-278)', async () => {
    const work = join(folder.base, 'l'.repeat(120), 'm'.repeat(120));
    mkdirSync(work, { recursive: true });
    const name = folderNameOf(work);
    expect(name).toHaveLength(201 + name.slice(201).length);
    expect(name.slice(201)).toMatch(/^[a-z0-9]{1,7}$/);
    const other = `${name.slice(0, 201)}zzzzzz`;
    folder.put([{ ...hi, cwd: '/elsewhere' }], SESSION, other);
    expect(await ids({ dir: work })).toEqual([]);
    expect(await getSessionInfo(SESSION, { dir: work })).toBeUndefined();
    folder.put([{ ...hi, cwd: work }], uuid(2), other);
    expect((await ids({ dir: work })).sort()).toEqual([uuid(2), SESSION]);
    folder.put([hi], SESSION, other);
    folder.put([hi], uuid(2), other);
    expect(await ids({ dir: work })).toHaveLength(2);
    folder.put([hi], uuid(3), name);
    expect(await ids({ dir: work })).toEqual([uuid(3)]);
  });

  describe('folders whose names encode alike share a project folder', () => {
    const place = (name: string): string => {
      const path = join(folder.base, name);
      mkdirSync(path, { recursive: true });
      return path;
    };
    const from = (cwd: unknown, more: Entry = {}) => user(1, null, 'hi', { cwd, ...more });
    const put = (n: number, lines: readonly Entry[]) => folder.put(lines, uuid(n), folderNameOf(place('a.b')));

    test('a session is listed for the one that it began in', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      put(1, [from(own), assistant(2, 1, 'x', { cwd: other })]);
      put(2, [from(other), assistant(2, 1, 'x', { cwd: own })]);
      for (const options of [{}, { limit: 5 }, { includeWorktrees: false }]) {
        expect(await ids({ dir: own, ...options })).toEqual([uuid(1)]);
        expect(await ids({ dir: other, ...options })).toEqual([uuid(2)]);
      }
      expect(await ids()).toHaveLength(2);
    });

    test.each<[kind: string, cwd: (base: string) => unknown]>([
      ['a path that encodes otherwise', () => '/moved/from/here'],
      ['a subfolder', (base) => join(base, 'a.b', 'sub')],
      ['a slash at the end', (base) => `${join(base, 'a_b')}/`],
      ['other letters', (base) => join(base, 'A.b')],
      ['a namesake that is gone', (base) => join(base, 'a-b')],
      ['a link to the directory', (base) => join(base, 'a,b')],
      ['a link to elsewhere', (base) => join(base, 'a b')],
      ['none', () => undefined],
      ['no text', () => 5],
    ])('%s stays', async (_kind, cwd) => {
      const own = place('a.b');
      place('a_b');
      symlinkSync(own, join(folder.base, 'a,b'));
      symlinkSync(place('elsewhere'), join(folder.base, 'a b'));
      put(1, [from(cwd(folder.base))]);
      expect(await ids({ dir: own })).toEqual([uuid(1)]);
    });

    test('a session that moved to the worktree of a namesake is its own there', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      const moved = (relocatedCwd: string) => ({ type: 'relocated', relocatedCwd });
      put(1, [from(join(folder.base, 'start')), moved(own), moved(other)]);
      put(2, [from(other), moved(own), moved('')]);
      expect(await listSessions({ dir: own })).toMatchObject([{ sessionId: uuid(2), cwd: own }]);
      expect(await listSessions({ dir: other })).toMatchObject([{ sessionId: uuid(1), cwd: other }]);
    });

    test('a link to a namesake is the namesake, and a link to the directory is the directory', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      symlinkSync(other, join(folder.base, 'a+b'));
      symlinkSync(own, join(folder.base, 'link'));
      put(1, [from(join(folder.base, 'a+b'))]);
      put(2, [from(own)]);
      expect(await ids({ dir: join(folder.base, 'link') })).toEqual([uuid(2)]);
      expect(await ids({ dir: join(folder.base, 'a+b') })).toEqual([uuid(1)]);
    });

    test('a line that a crash cut names nothing', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      const cut = `{"type":"user","cwd":${JSON.stringify(other)},`;
      folder.put([cut, from(own)], SESSION, folderNameOf(own));
      expect(await ids({ dir: own })).toEqual([SESSION]);
      expect(await ids({ dir: other })).toEqual([]);
    });

    test('the directory of a session whose first prompt is long comes after the prompt', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(200_000) } };
      put(1, [from(other, { message: { role: 'user', content: [image] } })]);
      // Across the border of two pieces, too.
      for (let n = 2; n < 12; n++)
        put(n, [title('T'), { type: 'x', y: 'y'.repeat(65_536 + 8192 - 60 * n) }, from(other)]);
      expect(await ids({ dir: own })).toEqual([]);
      expect((await ids({ dir: other })).sort()).toEqual(Array.from({ length: 11 }, (_, n) => uuid(n + 1)));
    });

    test('of a repository, sessions of working trees with such names belong to all of them', async () => {
      const [main, tree, other] = [place('a.b'), place('a_b'), place('a+b')];
      const git = join(main, '.git', 'worktrees', 'tree');
      makeGitFolder(join(main, '.git'));
      mkdirSync(git, { recursive: true });
      writeFileSync(join(tree, '.git'), `gitdir: ${git}\n`);
      writeFileSync(join(git, 'commondir'), '../..\n');
      writeFileSync(join(git, 'gitdir'), `${join(tree, '.git')}\n`);
      [main, tree, other].forEach((cwd, index) => {
        put(index + 1, [from(cwd)]);
      });
      for (const dir of [main, tree]) expect((await ids({ dir })).sort()).toEqual([uuid(1), uuid(2)]);
      expect(await ids({ dir: tree, includeWorktrees: false })).toEqual([uuid(2)]);
    });

    test('a session that is named by its id is found for both', async () => {
      const [own, other] = [place('a.b'), place('a_b')];
      put(1, [from(other)]);
      expect(await getSessionInfo(uuid(1), { dir: own })).toMatchObject({ cwd: other });
      expect(await getSessionMessages(uuid(1), { dir: own })).toHaveLength(1);
      await renameSession(uuid(1), 'T', { dir: own });
      await deleteSession(uuid(1), { dir: own });
      expect(await ids()).toEqual([]);
    });
  });

  test('other files are not listed (PY-282)', async () => {
    folder.put([hi]);
    folder.put([hi], 'not-a-uuid');
    mkdirSync(folder.path(uuid(1)));
    renameSync(folder.put([hi], uuid(2)), folder.path(uuid(2)).replace('.jsonl', '.jsonl.bak'));
    writeFileSync(join(folder.config, 'projects', `${uuid(3)}.jsonl`), `${JSON.stringify(hi)}\n`);
    expect(await ids()).toEqual([SESSION]);
    expect(await getSessionInfo(uuid(1))).toBeUndefined();
  });

  test('links count when they lead to a place below the projects folder', async () => {
    const outside = join(folder.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, `${uuid(1)}.jsonl`), `${JSON.stringify(hi)}\n`);
    symlinkSync(outside, join(folder.config, 'projects', '-out'));
    folder.put([hi], uuid(2), '-real');
    symlinkSync(join(folder.config, 'projects', '-real'), join(folder.config, 'projects', '-alias'));
    symlinkSync(join(outside, `${uuid(1)}.jsonl`), folder.path(uuid(4), '-real'));
    expect(await ids()).toEqual([uuid(2)]);
    expect(await getSessionInfo(uuid(1))).toBeUndefined();
    expect(await getSessionInfo(uuid(4))).toBeUndefined();
    expect(await getSessionInfo(uuid(2))).toBeDefined();
  });

  test('a folder `.git` that is no repository, and a pointer to nothing, join no projects', async () => {
    const [parent, child] = [join(folder.base, 'parent'), join(folder.base, 'parent', 'child')];
    mkdirSync(join(parent, '.git'), { recursive: true });
    mkdirSync(child);
    folder.put([hi], uuid(1), folderNameOf(parent));
    for (const pointer of [undefined, `gitdir: ${join(parent, 'gone')}\n`, `gitdir: ${join(parent, '.git')}\n`]) {
      if (pointer !== undefined) writeFileSync(join(child, '.git'), pointer);
      expect(await getSessionInfo(uuid(1), { dir: child })).toBeUndefined();
      await expect(deleteSession(uuid(1), { dir: child })).rejects.toThrow('not found');
    }
    makeGitFolder(join(parent, '.git'));
    expect(await getSessionInfo(uuid(1), { dir: child })).toBeDefined();
  });

  test('the working trees of a repository, read without git (PY-288)', async () => {
    const main = join(folder.base, 'main');
    const tree = join(folder.base, 'tree');
    const gone = join(folder.base, 'gone');
    const of = (name: string) => join(main, '.git', 'worktrees', name);
    makeGitFolder(join(main, '.git'));
    for (const name of ['tree', 'gone', 'broken']) mkdirSync(of(name), { recursive: true });
    mkdirSync(join(main, 'sub'));
    mkdirSync(tree);
    writeFileSync(join(tree, '.git'), `gitdir: ${of('tree')}\n`);
    writeFileSync(join(of('tree'), 'commondir'), '../..\n');
    writeFileSync(join(of('tree'), 'gitdir'), `${join(tree, '.git')}\n`);
    writeFileSync(join(of('gone'), 'gitdir'), `${join(gone, '.git')}\n`);
    [main, tree, gone].forEach((path, index) => {
      setTime(folder.put([hi], uuid(index + 1), folderNameOf(path)), 1000 - index);
    });
    for (const dir of [main, tree, join(main, 'sub')]) {
      expect(await ids({ dir })).toEqual([uuid(1), uuid(2), uuid(3)]);
    }
    expect(await ids({ dir: tree, includeWorktrees: false })).toEqual([uuid(2)]);
    expect(await getSessionInfo(uuid(3), { dir: tree })).toMatchObject({ cwd: gone });
  });
});

describe('order and pages', () => {
  function three(): void {
    setTime(folder.put([hi], uuid(1)), 100);
    setTime(folder.put([hi], uuid(2), '-b'), 300);
    setTime(folder.put([hi], uuid(3)), 200);
  }

  const pages: readonly [options: object, expected: number[]][] = [
    [{}, [2, 3, 1]],
    [{ limit: 0 }, [2, 3, 1]],
    [{ limit: -1 }, [2, 3, 1]],
    [{ limit: 1 }, [2]],
    [{ offset: 1 }, [3, 1]],
    [{ limit: 1, offset: 1 }, [3]],
    [{ limit: 5, offset: 3 }, []],
    [{ offset: Number.POSITIVE_INFINITY }, []],
    [{ limit: Number.POSITIVE_INFINITY }, [2, 3, 1]],
    [{ limit: null, offset: null, dir: null, sessionStore: null }, [2, 3, 1]],
  ];
  test.each(pages)('the newest first, %j (PY-279, PY-280)', async (options, expected) => {
    three();
    expect(await ids(options)).toEqual(expected.map(uuid));
  });

  test('the same id in two folders is listed once, as the newer (PY-281)', async () => {
    setTime(folder.put([user(1, null, 'old')], SESSION, '-a'), 100);
    setTime(folder.put([user(1, null, 'new')], SESSION, '-b'), 200);
    for (const options of [{}, { limit: 5 }]) {
      expect(await listSessions(options)).toMatchObject([{ summary: 'new' }]);
    }
  });

  test('a page skips what is not shown and is filled from further back', async () => {
    three();
    setTime(folder.put([{ type: 'mode' }], uuid(4)), 400);
    expect(await ids({ limit: 2 })).toEqual([uuid(2), uuid(3)]);
  });

  test('sessions that a program started are left out on demand', async () => {
    folder.put([{ ...hi, entrypoint: 'sdk-ts' }], uuid(1));
    folder.put([{ ...hi, sessionKind: 'daemon' }], uuid(2));
    folder.put([{ ...hi, entrypoint: 'cli' }], uuid(3));
    expect(await ids({ includeProgrammatic: false })).toEqual([uuid(3)]);
    expect(await ids()).toHaveLength(3);
  });

  test('a long listing lets other work run in between', async () => {
    for (let n = 1; n <= 400; n++) folder.put([hi], uuid(n), `-p${n % 20}`);
    // Every look at the clock finds the slice used up.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
    let others = 0;
    let isDone = false;
    const count = () => {
      others += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const rowsFound = await listSessions();
    isDone = true;
    vi.restoreAllMocks();
    expect(rowsFound).toHaveLength(400);
    expect(others).toBeGreaterThan(100);
  });
});

describe('options of a wrong type', () => {
  const wrong: readonly [option: string, options: unknown][] = [
    ['dir', { dir: 5 }],
    ['dir', { dir: 'a\0b' }],
    ['limit', { limit: '5' }],
    ['limit', { limit: 1.5 }],
    ['limit', { limit: Number.NaN }],
    ['offset', { offset: {} }],
    ['includeWorktrees', { includeWorktrees: 1 }],
    ['includeProgrammatic', { includeProgrammatic: 'no' }],
    ['sessionStore', { sessionStore: 'x' }],
    ['options', 5],
    ['options', []],
  ];
  test.each(wrong)('%s is named in the error: %j', async (option, options) => {
    // A caller without types can give anything.
    const error = await listSessions(options as object).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ option, message: expect.stringContaining(option) });
  });
});
