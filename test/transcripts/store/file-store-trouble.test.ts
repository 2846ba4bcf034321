import { execFileSync } from 'node:child_process';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSessionStore, InvalidOptionError, type SessionStoreEntry, SessionStoreError } from '../../../src/index.js';

const KEY = { projectKey: 'p', sessionId: 's' };
const entry = (uuid: string, more: object = {}) => ({ type: 'user', uuid, ...more });

const { writeSync } = fs;
let folder: string;
let store: FileSessionStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-file-store-'));
  store = new FileSessionStore(folder);
});
afterEach(() => {
  setWriteSync(writeSync);
  rmSync(folder, { recursive: true, force: true });
});

const main = () => join(folder, 'p', 's.jsonl');
const sidecar = () => join(folder, 'p', 's.summary.json');
const uuids = async () => (await store.load(KEY))?.map(({ uuid }) => uuid) ?? null;

function setWriteSync(implementation: typeof writeSync): void {
  fs.writeSync = implementation;
  syncBuiltinESMExports();
}

/** Does something right before the next write whose text contains `part`; the write may be cut. */
function beforeWriteOf(part: string, act: () => void, keep = (bytes: Buffer) => bytes): void {
  setWriteSync(((descriptor: number, bytes: Buffer, ...rest: never[]) => {
    if (!bytes.includes(part)) return writeSync(descriptor, bytes, ...rest);
    setWriteSync(writeSync);
    act();
    return writeSync(descriptor, keep(bytes), ...rest);
  }) as typeof writeSync);
}

test('a file where the directory should be is named, and not taken for a store without sessions', async () => {
  const file = join(folder, 'sessions');
  writeFileSync(file, 'mine');
  const text = `found something else where its folder should be: ${file}`;
  for (const directory of [file, join(file, 'below')]) {
    const misplaced = new FileSessionStore(directory);
    for (const call of [
      () => misplaced.append(KEY, [entry('a')]),
      () => misplaced.load(KEY),
      () => misplaced.load({ ...KEY, subpath: 'subagents/agent-x' }),
      () => misplaced.delete(KEY),
      () => misplaced.listSessions('p'),
      () => misplaced.listSessionSummaries('p'),
      () => misplaced.listSubkeys(KEY),
    ]) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SessionStoreError);
      expect(String(error)).toContain(text);
    }
  }
  expect(readFileSync(file, 'utf8')).toBe('mine');
  const missing = new FileSessionStore(join(folder, 'not', 'made'));
  expect(await missing.load(KEY)).toBeNull();
  expect(await missing.listSessions('p')).toEqual([]);
});

describe('FileSessionStore beside other processes', () => {
  test('an append that resolved is not lost to a line that another writer left unfinished', async () => {
    await store.append(KEY, [entry('a')]);
    beforeWriteOf('"b"', () => appendFileSync(main(), '{"type":"user","uuid":"torn","t":"half a l'));
    await store.append(KEY, [entry('b'), entry('c')]);
    expect([...((await uuids()) ?? [])].sort()).toEqual(['a', 'b', 'c']);
    const [summary] = await store.listSessionSummaries('p');
    expect(summary?.sessionId).toBe('s');
  });

  test('a session that is deleted while its summary is written leaves none behind', async () => {
    await store.append(KEY, [entry('a')]);
    rmSync(sidecar());
    beforeWriteOf('"inode"', () => rmSync(main()));
    await store.listSessionSummaries('p');
    expect(existsSync(sidecar())).toBe(false);
    expect(readdirSync(join(folder, 'p'))).toEqual([]);
  });

  test('listing and deleting at once leave no summary', async () => {
    for (let round = 0; round < 10; round += 1) {
      await store.append(KEY, [{ type: 'custom-title', customTitle: 'secret plan' }]);
      rmSync(sidecar());
      await Promise.all([
        store.listSessionSummaries('p'),
        store.delete(KEY),
        new FileSessionStore(folder).listSessionSummaries('p'),
      ]);
      expect(existsSync(sidecar())).toBe(false);
    }
  });
});

describe('FileSessionStore, repetitions', () => {
  const branch = (uuid: string, gitBranch: string) => entry(uuid, { gitBranch });
  const branchOf = async () => (await store.listSessionSummaries('p'))[0]?.data.gitBranch;

  test('an entry that comes again changes neither what is loaded nor the summary', async () => {
    await store.append(KEY, [branch('a', 'main')]);
    await store.append(KEY, [branch('b', 'work')]);
    await store.append(KEY, [branch('a', 'main')]);
    expect(await uuids()).toEqual(['a', 'b']);
    expect(await branchOf()).toBe('work');
    await store.append(KEY, [branch('c', 'main')]);
    expect(await branchOf()).toBe('main');
  });

  test('the same when it comes twice in one call, or is found in the file', async () => {
    await store.append(KEY, [branch('a', 'main'), branch('b', 'work'), branch('a', 'main')]);
    expect(await branchOf()).toBe('work');
    appendFileSync(main(), `${JSON.stringify(branch('a', 'main'))}\n`);
    expect(await branchOf()).toBe('work');
    rmSync(sidecar());
    expect(await branchOf()).toBe('work');
  });
});

describe('FileSessionStore, calls that are not awaited', () => {
  test('load, listings and delete take effect after what was called before them', async () => {
    void store.append(KEY, [entry('a', { text: 'x'.repeat(500_000) })]);
    const loaded = store.load(KEY);
    const listed = store.listSessions('p');
    const summaries = store.listSessionSummaries('p');
    void store.append({ ...KEY, subpath: 'a/b' }, [entry('b')]);
    const subkeys = store.listSubkeys(KEY);
    void store.delete(KEY);
    const after = store.load(KEY);
    expect((await loaded)?.length).toBe(1);
    expect((await listed).length).toBe(1);
    expect((await summaries).length).toBe(1);
    expect(await subkeys).toEqual(['a/b']);
    expect(await after).toBeNull();
  });
});

test('FileSessionStore, a listing after a delete that is not awaited does not have the session', async () => {
  await store.append(KEY, [entry('a')]);
  for (const name of ['b', 'c', 'd']) {
    void store.append(KEY, [entry(name, { text: 'x'.repeat(100_000) })]);
  }
  void store.delete(KEY);
  const listed = store.listSessions('p');
  const summaries = store.listSessionSummaries('p');
  expect(await listed).toEqual([]);
  expect(await summaries).toEqual([]);
});

describe('FileSessionStore refuses', () => {
  const cyclic: Record<string, unknown> = { type: 'x' };
  cyclic.self = cyclic;
  test.each([
    ['a cycle', cyclic],
    ['a bigint', { type: 'x', n: 1n }],
    ['a toJSON that gives nothing', { type: 'x', toJSON: () => undefined }],
    ['a toJSON that gives text', { type: 'x', toJSON: () => 'text' }],
  ])('%s, and stores nothing of the call', async (_name, odd) => {
    const failed = store.append(KEY, [entry('a'), odd as SessionStoreEntry]);
    await expect(failed).rejects.toThrow(InvalidOptionError);
    await expect(failed).rejects.toMatchObject({ option: 'entries[1]' });
    expect(await store.load(KEY)).toBeNull();
  });

  test('a hole in the list of entries', async () => {
    const entries: SessionStoreEntry[] = [];
    entries[1] = entry('a');
    await expect(store.append(KEY, entries)).rejects.toMatchObject({ option: 'entries[0]' });
  });

  test('a write that was cut, and the next append begins a line of its own', async () => {
    await store.append(KEY, [entry('a')]);
    const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
    beforeWriteOf('"b"', () => {}, half);
    const failed = store.append(KEY, [entry('b')]);
    await expect(failed).rejects.toThrow(SessionStoreError);
    await expect(failed).rejects.toMatchObject({ method: 'append' });
    await store.append(KEY, [entry('c')]);
    expect(await uuids()).toEqual(['a', 'c']);
  });
});

describe.skipIf(process.platform === 'win32')(
  'a pipe where a file should be does not hang (skipped on Windows)',
  () => {
    const makePipe = (path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      execFileSync('mkfifo', [path]);
    };

    test('the summary', async () => {
      makePipe(sidecar());
      await store.append(KEY, [{ type: 'custom-title', customTitle: 't' }]);
      const [summary] = await store.listSessionSummaries('p');
      expect(summary?.data.customTitle).toBe('t');
    });

    test('the transcript', async () => {
      makePipe(main());
      await expect(store.append(KEY, [entry('a')])).rejects.toThrow(SessionStoreError);
      await expect(store.load(KEY)).rejects.toThrow('something else where its file should be');
      expect(await store.listSessions('p')).toEqual([]);
    });
  },
);
