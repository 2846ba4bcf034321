import type { SessionKey, SessionStore, SessionStoreEntry } from '../../index.js';
import { expectSame, expectThat } from './contract-case.js';
import { below, entries, MAIN, PROJECT, SESSION, uuidsOf } from './sample.js';

/** One promise of a store that several processes write to. `other` is the same store as another process has it. */
export interface WriterCase {
  readonly name: string;
  check(store: SessionStore, other: SessionStore): Promise<void>;
}

/** Project and session names that stores have been seen to mix up. */
const ODD_NAMES = ['a:b', 'a', 'a%3Ab', 'a=3Ab', 'a*', 'A', 'a/b', '.', 'a\\', '{a}', '😀', 'a"', "a'; --"];

async function expectUuids(store: SessionStore, key: SessionKey, expected: readonly unknown[]): Promise<void> {
  expectSame('the uuids of load()', await uuidsOf(store, key), expected);
}

async function isRefused(appended: Promise<void>): Promise<boolean> {
  return await appended.then(
    () => false,
    () => true,
  );
}

export const WRITER_CASES: readonly WriterCase[] = [
  {
    name: 'what one process has appended, another one loads, lists and goes on with',
    check: async (store, other) => {
      await store.append(MAIN, entries('a', 2));
      await other.append(MAIN, entries('b', 2));
      await store.append(below('subagents/agent-1'), entries('c'));
      await expectUuids(other, MAIN, ['a-0', 'a-1', 'b-0', 'b-1']);
      await expectUuids(other, below('subagents/agent-1'), ['c-0']);
      const listed = await other.listSessions?.(PROJECT);
      if (listed !== undefined) expectSame('listSessions().length', listed.length, 1);
    },
  },
  {
    name: 'an entry that is appended again, by whomever and beside whatever, is loaded once and keeps its place',
    check: async (store, other) => {
      await store.append(MAIN, entries('a', 2));
      await store.append(MAIN, entries('b', 1));
      await store.append(MAIN, entries('a', 2));
      await other.append(MAIN, [...entries('b', 1), ...entries('c', 1), ...entries('a', 3)]);
      await store.append(MAIN, [...entries('d', 1), ...entries('d', 1)]);
      await expectUuids(other, MAIN, ['a-0', 'a-1', 'b-0', 'c-0', 'a-2', 'd-0']);
    },
  },
  {
    name: 'an append that is made many times at once is stored once',
    check: async (store, other) => {
      const batch = entries('a', 5);
      await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? store : other).append(MAIN, batch)));
      await expectUuids(
        store,
        MAIN,
        batch.map(({ uuid }) => uuid),
      );
    },
  },
  {
    name: 'two processes that append at once lose nothing, keep the order of each, and their batches in one piece',
    check: async (store, other) => {
      const batchesOf = (writer: string): SessionStoreEntry[][] =>
        Array.from({ length: 10 }, (_, index) => entries(`${writer}${index}`, 3));
      const write = async (to: SessionStore, batches: SessionStoreEntry[][]): Promise<void> => {
        for (const batch of batches) await to.append(MAIN, batch);
      };
      const [mine, theirs] = [batchesOf('mine'), batchesOf('theirs')];
      await Promise.all([write(store, mine), write(other, theirs)]);
      const found = (await uuidsOf(store, MAIN)).map(String);
      expectSame('load() by the other', await uuidsOf(other, MAIN), found);
      for (const batches of [mine, theirs]) {
        const own: string[] = batches.flat().map(({ uuid }) => String(uuid));
        expectSame(
          'the uuids of one writer',
          found.filter((uuid) => own.includes(uuid)),
          own,
        );
      }
      for (const [first] of [...mine, ...theirs]) {
        const start = found.indexOf(String(first?.uuid));
        const name = String(first?.uuid).slice(0, -1);
        expectSame('a batch', found.slice(start, start + 3), [`${name}0`, `${name}1`, `${name}2`]);
      }
    },
  },
  {
    name: 'an append with an entry that cannot be stored stores nothing',
    check: async (store) => {
      const cycle: SessionStoreEntry = { type: 'x', uuid: 'cycle' };
      cycle.self = cycle;
      for (const bad of [cycle, { type: 'x', uuid: 'big', n: 1n }] as SessionStoreEntry[]) {
        const isTold = await isRefused(store.append(MAIN, [...entries('before'), bad, ...entries('after')]));
        expectThat(isTold, 'append() must reject an entry that has no JSON form');
      }
      expectSame('load()', await store.load(MAIN), null);
    },
  },
  {
    name: 'entries without a uuid count every time that they are said',
    check: async (store, other) => {
      for (const each of [store, other]) await each.append(MAIN, [{ type: 'custom-title', customTitle: 'same' }]);
      expectSame('load().length', (await store.load(MAIN))?.length, 2);
    },
  },
  {
    name: 'names with the separators of keys stay apart',
    check: async (store, other) => {
      const keys = ODD_NAMES.flatMap((name) => [
        { projectKey: `p${name}`, sessionId: SESSION },
        { projectKey: PROJECT, sessionId: `s${name}` },
        below(`subagents/${name.replaceAll(/[./\\]/g, '-')}x`),
      ]);
      const distinct = new Map(keys.map((key) => [JSON.stringify(key), key]));
      for (const [name, key] of distinct) await store.append(key, [{ type: 'x', uuid: name }]);
      for (const [name, key] of distinct) await expectUuids(other, key, [name]);
    },
  },
];
