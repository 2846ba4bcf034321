import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSessionStore, foldSessionSummary, InvalidOptionError } from '../../../src/index.js';

const KEY = { projectKey: '-home-user', sessionId: '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b' };
const BELOW = { ...KEY, subpath: 'subagents/agent-x' };
const entry = (uuid: string) => ({ type: 'user', uuid, message: { content: uuid } });
const title = (customTitle: string) => ({ type: 'custom-title', customTitle });

let folder: string;
let root: string;
let store: FileSessionStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-file-store-'));
  root = join(folder, 'store');
  store = new FileSessionStore(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const main = () => join(root, KEY.projectKey, `${KEY.sessionId}.jsonl`);
const sidecar = () => join(root, KEY.projectKey, `${KEY.sessionId}.summary.json`);
const uuids = async (key: typeof KEY) => (await store.load(key))?.map(({ uuid }) => uuid) ?? null;

describe('FileSessionStore', () => {
  test('writes JSONL in a folder for each project, readable by its owner alone', async () => {
    expect(existsSync(root)).toBe(false);
    await store.append(KEY, [entry('a'), entry('b')]);
    await store.append(BELOW, [entry('c')]);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
    const session = join(KEY.projectKey, KEY.sessionId);
    expect(files).toEqual([
      KEY.projectKey,
      session,
      `${session}.jsonl`,
      `${session}.summary.json`,
      join(session, 'subagents+agent-x.jsonl'),
    ]);
    expect(readFileSync(main(), 'utf8')).toBe(`${JSON.stringify(entry('a'))}\n${JSON.stringify(entry('b'))}\n`);
    if (process.platform === 'win32') return;
    expect(statSync(root).mode & 0o777).toBe(0o700);
    for (const file of files) {
      const stats = statSync(join(root, file));
      expect([file, stats.mode & 0o777]).toEqual([file, stats.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test('reads make nothing, not even the directory', async () => {
    expect(await store.load(KEY)).toBeNull();
    expect(await store.listSessions(KEY.projectKey)).toEqual([]);
    expect(await store.listSessionSummaries(KEY.projectKey)).toEqual([]);
    expect(await store.listSubkeys(KEY)).toEqual([]);
    await store.delete(KEY);
    await store.append(KEY, []);
    expect(existsSync(root)).toBe(false);
  });

  test('another object, or process, over the same directory sees what was stored', async () => {
    await store.append(KEY, [entry('a')]);
    const other = new FileSessionStore(root);
    await other.append(KEY, [entry('b')]);
    expect(await uuids(KEY)).toEqual(['a', 'b']);
    expect((await other.listSessions(KEY.projectKey)).length).toBe(1);
  });

  test('an entry appended again with its uuid is loaded once; entries without one every time', async () => {
    await store.append(KEY, [entry('a'), title('t')]);
    await store.append(KEY, [entry('a'), entry('b'), title('t')]);
    expect(await store.load(KEY)).toEqual([entry('a'), title('t'), entry('b'), title('t')]);
  });

  test('calls that are not awaited take effect in their order', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => store.append(KEY, [entry(`${index}`)]));
    await Promise.all(calls);
    expect(await uuids(KEY)).toEqual(calls.map((_, index) => `${index}`));
    const removed = store.delete(KEY);
    const again = store.append(KEY, [entry('again')]);
    await Promise.all([removed, again]);
    expect(await uuids(KEY)).toEqual(['again']);
  });

  test('a call that fails does not stop the ones behind it', async () => {
    writeFileSync(root, 'a file where the directory should be');
    await expect(store.append(KEY, [entry('a')])).rejects.toThrow();
    rmSync(root);
    await store.append(KEY, [entry('b')]);
    expect(await uuids(KEY)).toEqual(['b']);
  });

  test.each(['', 'a\0b', 5, undefined])('refuses %j as a directory', (directory) => {
    expect(() => new FileSessionStore(directory as string)).toThrow(InvalidOptionError);
  });

  test.each([
    ['key.subpath', { ...KEY, subpath: '' }],
    ['key.projectKey', { ...KEY, projectKey: '' }],
    ['key.sessionId', { ...KEY, sessionId: 5 }],
  ])('refuses a bad %s', async (option, key) => {
    const bad = key as typeof KEY;
    for (const call of [() => store.append(bad, [entry('a')]), () => store.load(bad), () => store.delete(bad)]) {
      await expect(call()).rejects.toMatchObject({ option });
    }
  });
});

describe('FileSessionStore after a crash', () => {
  test('passes over an unfinished last line and begins a new one', async () => {
    await store.append(KEY, [entry('a'), entry('b')]);
    truncateSync(main(), statSync(main()).size - 5);
    expect(await uuids(KEY)).toEqual(['a']);
    await store.append(KEY, [entry('c')]);
    expect(await uuids(KEY)).toEqual(['a', 'c']);
  });

  test('a transcript with nothing whole in it is none', async () => {
    await store.append(KEY, [entry('a')]);
    truncateSync(main(), 3);
    expect(await store.load(KEY)).toBeNull();
    truncateSync(main(), 0);
    expect(await store.listSessions(KEY.projectKey)).toEqual([]);
    expect(await store.listSessionSummaries(KEY.projectKey)).toEqual([]);
  });
});

describe('FileSessionStore, summaries', () => {
  const summary = async () => (await store.listSessionSummaries(KEY.projectKey))[0];

  test('append brings the summary up to date from what is new in the file alone', async () => {
    await store.append(KEY, [entry('a'), title('one')]);
    const read = JSON.parse(readFileSync(sidecar(), 'utf8')) as object;
    expect(read).toMatchObject({ bytes: statSync(main()).size, data: { customTitle: 'one' } });
    // Were the whole file read again, the first prompt would be `a`.
    const data = { firstPrompt: 'as it was folded', firstPromptLocked: true };
    writeFileSync(sidecar(), JSON.stringify({ ...read, data }));
    await store.append(KEY, [title('two')]);
    expect((await summary())?.data).toEqual({ ...data, isSidechain: false, customTitle: 'two' });
  });

  test('knows what others appended, in whatever way', async () => {
    await store.append(KEY, [entry('a')]);
    appendFileSync(main(), `${JSON.stringify(title('from outside'))}\n`);
    expect((await summary())?.data.customTitle).toBe('from outside');
  });

  const damaged: readonly [string, () => void][] = [
    ['is gone', () => rmSync(sidecar())],
    ['is empty', () => writeFileSync(sidecar(), '')],
    ['is no JSON', () => writeFileSync(sidecar(), '{"bytes":5}}')],
    ['is no object', () => writeFileSync(sidecar(), '[1]')],
    ['says more than the file holds', () => damage({ bytes: 1e9 })],
    ['is about another file', () => damage({ inode: 1 })],
    ['has no data', () => damage({ data: null })],
  ];
  function damage(change: object): void {
    const read = JSON.parse(readFileSync(sidecar(), 'utf8')) as object;
    writeFileSync(sidecar(), JSON.stringify({ ...read, ...change }));
  }
  test.each(damaged)('starts over when the sidecar %s', async (_name, break_) => {
    const entries = [entry('a'), title('one'), { type: 'tag', tag: 't' }];
    await store.append(KEY, entries);
    break_();
    expect((await summary())?.data).toEqual(foldSessionSummary(undefined, KEY, entries).data);
  });

  test('mtime is the file’s, whole milliseconds, the same in both listings', async () => {
    await store.append(KEY, [entry('a')]);
    utimesSync(main(), 1_800_000_000.1239, 1_800_000_000.1239);
    const listed = await store.listSessions(KEY.projectKey);
    expect(listed).toEqual([{ sessionId: KEY.sessionId, mtime: 1_800_000_000_123 }]);
    expect((await summary())?.mtime).toBe(1_800_000_000_123);
  });

  test('a directory that cannot be written to can be listed', async () => {
    await store.append(KEY, [entry('a'), title('one')]);
    rmSync(sidecar());
    mkdirSync(sidecar());
    expect((await summary())?.data.customTitle).toBe('one');
    await store.append(KEY, [title('two')]);
    expect((await summary())?.data.customTitle).toBe('two');
  });
});

describe.skipIf(process.platform === 'win32')('FileSessionStore follows no symbolic link (skipped on Windows)', () => {
  let outside: string;
  beforeEach(() => {
    outside = join(folder, 'outside');
    mkdirSync(outside);
    mkdirSync(join(root, KEY.projectKey), { recursive: true });
  });

  test('to a file', async () => {
    writeFileSync(join(outside, 'f'), `${JSON.stringify(entry('secret'))}\n`);
    symlinkSync(join(outside, 'f'), main());
    await expect(store.load(KEY)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(store.append(KEY, [entry('a')])).rejects.toMatchObject({ code: 'ELOOP' });
    expect(await store.listSessions(KEY.projectKey)).toEqual([]);
    await store.delete(KEY);
    expect(readFileSync(join(outside, 'f'), 'utf8')).toContain('secret');
  });

  test('to a project folder', async () => {
    rmSync(join(root, KEY.projectKey), { recursive: true });
    symlinkSync(outside, join(root, KEY.projectKey));
    for (const call of [
      () => store.append(KEY, [entry('a')]),
      () => store.load(KEY),
      () => store.delete(KEY),
      () => store.listSessions(KEY.projectKey),
      () => store.listSessionSummaries(KEY.projectKey),
      () => store.listSubkeys(KEY),
    ]) {
      await expect(call()).rejects.toThrow('found something else where its folder should be');
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  test('to a session’s folder, nor when it deletes one', async () => {
    await store.append(KEY, [entry('a')]);
    writeFileSync(join(outside, 'subagents+agent-x.jsonl'), `${JSON.stringify(entry('x'))}\n`);
    symlinkSync(outside, join(root, KEY.projectKey, KEY.sessionId));
    await expect(store.load(BELOW)).rejects.toThrow('found something else');
    await expect(store.append(BELOW, [entry('b')])).rejects.toThrow('found something else');
    await expect(store.listSubkeys(KEY)).rejects.toThrow('found something else');
    await store.delete(KEY);
    expect(readdirSync(outside)).toEqual(['subagents+agent-x.jsonl']);
    expect(await store.listSubkeys(KEY)).toEqual([]);
  });

  test('to a sidecar', async () => {
    writeFileSync(join(outside, 'f'), 'mine');
    symlinkSync(join(outside, 'f'), sidecar());
    await store.append(KEY, [entry('a'), title('one')]);
    expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('mine');
    const [summary] = await store.listSessionSummaries(KEY.projectKey);
    expect(summary?.data.customTitle).toBe('one');
  });
});
