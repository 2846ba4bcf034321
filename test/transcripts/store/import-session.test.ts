import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  FileSessionStore,
  getSessionMessages,
  type ImportSessionToStoreOptions,
  InMemorySessionStore,
  InvalidOptionError,
  importSessionToStore,
  listSubagents,
  projectKeyForDirectory,
  type SessionKey,
  SessionNotFoundError,
  type SessionStore,
  type SessionStoreEntry,
} from '../../../src/index.js';

const S = '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b';
const lines = (entries: readonly unknown[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
const user = (uuid: string, text = uuid) => ({
  type: 'user',
  uuid,
  sessionId: S,
  message: { role: 'user', content: text },
});

let folder: string;
let dir: string;
let project: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-import-')));
  dir = join(folder, 'work');
  mkdirSync(dir);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
  project = join(folder, 'config', 'projects', projectKeyForDirectory(dir));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  const path = join(project, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Notes each append: the subpath and what of the entries is asked for. */
function appends<Seen>(see: (entries: SessionStoreEntry[]) => Seen) {
  const seen: [string | undefined, Seen][] = [];
  const keys: SessionKey[] = [];
  const store: SessionStore = {
    append: async (key, entries) => {
      keys.push(key);
      seen.push([key.subpath, see(entries)]);
    },
    load: async () => null,
  };
  return { store, seen, keys };
}
const uuids = (entries: SessionStoreEntry[]) => entries.map(({ uuid }) => uuid);

describe('importSessionToStore (PY-320)', () => {
  test('appends in order and in batches, then what is below the session, with its metadata', async () => {
    write(`${S}.jsonl`, lines(['a', 'b', 'c', 'd', 'e'].map((uuid) => user(uuid))));
    write(`${S}/subagents/agent-b.jsonl`, lines([user('b1'), user('b2')]));
    write(`${S}/subagents/agent-b.meta.json`, JSON.stringify({ toolUseId: 'call', type: 'x' }));
    write(`${S}/subagents/agent-a.jsonl`, lines([user('a1')]));
    write(`${S}/subagents/workflows/r/agent-c.jsonl`, lines([user('c1')]));
    write(`${S}/subagents/notes.txt`, 'x');
    write(`${S}/tool-results/x.jsonl`, lines([user('x1')]));
    const { store, seen, keys } = appends((entries) => entries);
    await importSessionToStore(S, store, { dir, batchSize: 2 });
    expect(keys[0]).toEqual({ projectKey: projectKeyForDirectory(dir), sessionId: S });
    expect(seen).toEqual([
      [undefined, [user('a'), user('b')]],
      [undefined, [user('c'), user('d')]],
      [undefined, [user('e')]],
      ['subagents/agent-a', [user('a1')]],
      ['subagents/agent-b', [user('b1'), user('b2')]],
      ['subagents/agent-b', [{ type: 'agent_metadata', toolUseId: 'call' }]],
      ['subagents/workflows/r/agent-c', [user('c1')]],
    ]);
  });

  test('leaves out what is below the session when told so', async () => {
    write(`${S}.jsonl`, lines([user('a')]));
    write(`${S}/subagents/agent-a.jsonl`, lines([user('a1')]));
    const { store, seen } = appends(uuids);
    await importSessionToStore(S, store, { dir, includeSubagents: false });
    expect(seen).toEqual([[undefined, ['a']]]);
  });

  test('without a directory the session is found anywhere, under the key of the working directory', async () => {
    write(`${S}.jsonl`, lines([user('a')]));
    const { store, keys } = appends(uuids);
    await importSessionToStore(S, store);
    expect(keys).toEqual([{ projectKey: projectKeyForDirectory(), sessionId: S }]);
  });

  const sizes: readonly [string, unknown, number[]][] = [
    ['the default', undefined, [500, 500, 200]],
    ['none', null, [500, 500, 200]],
    ['zero', 0, [500, 500, 200]],
    ['a negative one', -1, [500, 500, 200]],
    ['one of 1000', 1000, [1000, 200]],
    ['no limit', Number.POSITIVE_INFINITY, [1200]],
  ];
  test.each(sizes)('batch size: %s', async (_name, batchSize, expected) => {
    write(`${S}.jsonl`, lines(Array.from({ length: 1200 }, (_, index) => user(`${index}`))));
    const { store, seen } = appends((entries) => entries.length);
    await importSessionToStore(S, store, { dir, batchSize } as ImportSessionToStoreOptions);
    expect(seen.map(([, count]) => count)).toEqual(expected);
  });

  test('a batch also ends at 1 MiB', async () => {
    const big = Array.from({ length: 40 }, (_, index) => user(`${index}`, 'x'.repeat(100_000)));
    write(`${S}.jsonl`, lines(big));
    const { store, seen } = appends((entries) => entries.length);
    await importSessionToStore(S, store, { dir });
    expect(seen.map(([, count]) => count)).toEqual([11, 11, 11, 7]);
  });

  test('appends are made one after another', async () => {
    write(`${S}.jsonl`, lines(['a', 'b', 'c'].map((uuid) => user(uuid))));
    let running = 0;
    let most = 0;
    const store: SessionStore = {
      load: async () => null,
      append: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
      },
    };
    await importSessionToStore(S, store, { dir, batchSize: 1 });
    expect(most).toBe(1);
  });

  const texts: readonly [string, string, string[]][] = [
    ['a broken line', `${lines([user('a')])}{broken\n${lines([user('b')])}`, ['a', 'b']],
    ['a cut last line', `${lines([user('a')])}{"type":"us`, ['a']],
    ['a whole last line without its newline', `${lines([user('a')])}${JSON.stringify(user('b'))}`, ['a', 'b']],
    ['blank lines', `\n\n${lines([user('a')])}  \n${lines([user('b')])}`, ['a', 'b']],
    ['lines that are no objects', `5\nnull\n"x"\n[1]\n${lines([user('a')])}`, ['a']],
    ['a byte order mark and CRLF', `\ufeff${lines([user('a'), user('b')]).replaceAll('\n', '\r\n')}`, ['a', 'b']],
    ['line separators of other kinds', lines([user('a', 'x\u2028y\u2029z\u0085'), user('b')]), ['a', 'b']],
    ['characters over the edge of a chunk', lines([user('a', '😀'.repeat(200_000)), user('b')]), ['a', 'b']],
  ];
  test.each(texts)('reads a transcript with %s', async (_name, text, expected) => {
    write(`${S}.jsonl`, text);
    const { store, seen } = appends(uuids);
    await importSessionToStore(S, store, { dir });
    expect(seen.flatMap(([, found]) => found)).toEqual(expected);
  });

  test('text comes through as it was, also over the edge of a chunk', async () => {
    const entry = user('a', `${'x'.repeat(262_000)}${'é😀'.repeat(1000)}`);
    write(`${S}.jsonl`, lines([entry]));
    const { store, seen } = appends((entries) => entries);
    await importSessionToStore(S, store, { dir });
    expect(seen[0]?.[1]).toEqual([entry]);
  });

  test.each(['{broken', '[1]', '5'])('passes over metadata that is %s', async (metadata) => {
    write(`${S}.jsonl`, lines([user('a')]));
    write(`${S}/subagents/agent-b.jsonl`, lines([user('b')]));
    write(`${S}/subagents/agent-b.meta.json`, metadata);
    const { store, seen } = appends(uuids);
    await importSessionToStore(S, store, { dir });
    expect(seen).toEqual([
      [undefined, ['a']],
      ['subagents/agent-b', ['b']],
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'follows no symbolic link below the session (skipped on Windows)',
    async () => {
      write(`${S}.jsonl`, lines([user('a')]));
      write(`${S}/subagents/agent-b.jsonl`, lines([user('b')]));
      const secret = join(folder, 'secret.json');
      writeFileSync(secret, '{"type":"user","uuid":"secret"}\n');
      symlinkSync(secret, join(project, S, 'subagents', 'agent-b.meta.json'));
      symlinkSync(secret, join(project, S, 'subagents', 'agent-c.jsonl'));
      symlinkSync(folder, join(project, S, 'subagents', 'linked'));
      const { store, seen } = appends(uuids);
      await importSessionToStore(S, store, { dir });
      expect(seen).toEqual([
        [undefined, ['a']],
        ['subagents/agent-b', ['b']],
      ]);
    },
  );

  test('ends at the append that fails, with what the store rejected with', async () => {
    write(`${S}.jsonl`, lines(['a', 'b', 'c'].map((uuid) => user(uuid))));
    const mine = new Error('full');
    let calls = 0;
    const store: SessionStore = {
      load: async () => null,
      append: async () => {
        calls += 1;
        if (calls === 2) throw mine;
      },
    };
    await expect(importSessionToStore(S, store, { dir, batchSize: 1 })).rejects.toBe(mine);
    expect(calls).toBe(2);
  });

  test('can be repeated on a store that knows entries by their uuid', async () => {
    write(`${S}.jsonl`, lines([user('a'), user('b')]));
    const store = new FileSessionStore(join(folder, 'store'));
    await importSessionToStore(S, store, { dir });
    write(`${S}.jsonl`, lines([user('a'), user('b'), user('c')]));
    await importSessionToStore(S, store, { dir });
    const loaded = await store.load({ projectKey: projectKeyForDirectory(dir), sessionId: S });
    expect(uuids(loaded ?? [])).toEqual(['a', 'b', 'c']);
  });

  test('what was imported is read from the store as from disk', async () => {
    const chain = [
      { ...user('u1'), parentUuid: null },
      { ...user('a1'), type: 'assistant', parentUuid: 'u1' },
    ];
    write(`${S}.jsonl`, lines(chain));
    write(`${S}/subagents/agent-x.jsonl`, lines(chain));
    const sessionStore = new InMemorySessionStore();
    await importSessionToStore(S, sessionStore, { dir });
    const fromDisk = await getSessionMessages(S, { dir });
    expect(fromDisk.length).toBe(2);
    expect(await getSessionMessages(S, { dir, sessionStore })).toEqual(fromDisk);
    expect(await listSubagents(S, { dir, sessionStore })).toEqual(['x']);
  });

  test('refuses bad arguments and unknown sessions before the store is asked', async () => {
    const { store, keys } = appends(uuids);
    const bad = importSessionToStore as (...args: unknown[]) => Promise<void>;
    await expect(bad('../x', store)).rejects.toThrow('Invalid sessionId');
    await expect(bad(S, store)).rejects.toThrow(SessionNotFoundError);
    await expect(bad(S, undefined)).rejects.toThrow(InvalidOptionError);
    for (const options of [{ batchSize: '3' }, { batchSize: Number.NaN }, { dir: 5 }, { includeSubagents: 'no' }, 5]) {
      await expect(bad(S, store, options)).rejects.toThrow(InvalidOptionError);
    }
    expect(keys).toEqual([]);
  });
});
