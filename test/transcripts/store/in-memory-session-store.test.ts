import { describe, expect, test } from 'vitest';
import { InMemorySessionStore, InvalidOptionError } from '../../../src/index.js';

const KEY = { projectKey: 'p', sessionId: 's' };
const entry = (uuid: string) => ({ type: 'user', uuid, message: { content: uuid } });

describe('InMemorySessionStore (TS-184)', () => {
  test('keeps an entry as often as it is appended, whatever its uuid', async () => {
    const store = new InMemorySessionStore();
    await store.append(KEY, [entry('a')]);
    await store.append(KEY, [entry('a')]);
    expect(store.getEntries(KEY)).toEqual([entry('a'), entry('a')]);
  });

  test('load of an unknown key is null, getEntries of one is empty', async () => {
    const store = new InMemorySessionStore();
    expect(await store.load(KEY)).toBeNull();
    expect(store.getEntries(KEY)).toEqual([]);
  });

  test('load and getEntries give copies', async () => {
    const store = new InMemorySessionStore();
    await store.append(KEY, [entry('a')]);
    (await store.load(KEY))?.push(entry('leak'));
    store.getEntries(KEY).push(entry('leak'));
    expect(await store.load(KEY)).toEqual([entry('a')]);
  });

  test('mtimes grow within one millisecond, and only with the main transcript', async () => {
    const store = new InMemorySessionStore();
    const mtimes = async () => (await store.listSessions('p')).map(({ mtime }) => mtime);
    for (const sessionId of ['a', 'b', 'c']) {
      await store.append({ ...KEY, sessionId }, [entry(sessionId)]);
    }
    const before = await mtimes();
    expect(before).toEqual([...new Set(before)].sort((a, b) => a - b));
    await store.append({ ...KEY, sessionId: 'a', subpath: 'subagents/agent-x' }, [entry('x')]);
    expect(await mtimes()).toEqual(before);
    await store.append({ ...KEY, sessionId: 'a' }, [entry('y')]);
    expect((await mtimes())[0]).toBeGreaterThan(before[2] ?? Number.POSITIVE_INFINITY);
  });

  test('delete of a main key removes what is below it', async () => {
    const store = new InMemorySessionStore();
    await store.append(KEY, [entry('a')]);
    await store.append({ ...KEY, subpath: 'subagents/agent-x' }, [entry('x')]);
    await store.delete(KEY);
    expect(await store.load({ ...KEY, subpath: 'subagents/agent-x' })).toBeNull();
    expect(await store.listSubkeys(KEY)).toEqual([]);
  });

  test('size counts main transcripts, clear forgets everything', async () => {
    const store = new InMemorySessionStore();
    await store.append(KEY, [entry('a')]);
    await store.append({ ...KEY, subpath: 'subagents/agent-x' }, [entry('x')]);
    await store.append({ projectKey: 'q', sessionId: 't', subpath: 'only/below' }, [entry('x')]);
    expect(store.size).toBe(1);
    store.clear();
    expect(store.size).toBe(0);
    expect(await store.listSessionSummaries('p')).toEqual([]);
  });

  test('keys whose parts join to the same text are separate', async () => {
    const store = new InMemorySessionStore();
    await store.append({ projectKey: 'p', sessionId: 'a/b' }, [entry('one')]);
    await store.append({ projectKey: 'p/a', sessionId: 'b' }, [entry('two')]);
    expect(await store.load({ projectKey: 'p', sessionId: 'a/b' })).toEqual([entry('one')]);
  });

  const bad: readonly [string, unknown, unknown, string][] = [
    ['no key', null, [], 'key'],
    ['no projectKey', { sessionId: 's' }, [], 'key.projectKey'],
    ['an empty sessionId', { projectKey: 'p', sessionId: '' }, [], 'key.sessionId'],
    ['an empty subpath', { ...KEY, subpath: '' }, [], 'key.subpath'],
    ['entries that are no array', KEY, 'text', 'entries'],
    ['an entry that is no object', KEY, [entry('a'), 5], 'entries[1]'],
  ];
  test.each(bad)('append refuses %s', async (_name, key, entries, option) => {
    const store = new InMemorySessionStore();
    const error = await store.append(key as never, entries as never).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ option });
    expect(store.size).toBe(0);
  });

  test.each<[string, unknown]>([
    ['nested 100,000 deep', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['with a function', () => {}],
  ])('an entry %s is refused by name, and nothing is stored (C-11)', async (_, value) => {
    const store = new InMemorySessionStore();
    const refused = store.append(KEY, [entry('a'), { ...entry('b'), value }]);
    await expect(refused).rejects.toThrow(InvalidOptionError);
    await expect(refused).rejects.toThrow('`entries[1]`');
    expect(store.size).toBe(0);
  });
});
