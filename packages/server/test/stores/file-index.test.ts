import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { ConversationRecord } from '../../src/stores/conversation-store.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { newestFirst } from '../../src/stores/list-options.js';
import { tempFolder } from '../helpers/temp-folder.js';

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const sample = (index: number): ConversationRecord => ({
  ...{ tenant: 'ada', id: idOf(index), createdAt: 1, updatedAt: 100 + index },
});
const idKey = (index: number) => ({ tenant: 'ada', id: idOf(index) });
const ALL = { limit: 100 };

/** A directory with conversations that were changed at 100, 101, 102 and so on. */
async function directoryWith(count: number) {
  const root = tempFolder();
  const store = new FileConversationStore(root);
  const records = Array.from({ length: count }, (_, index) => sample(index));
  for (const record of records) await store.create(record);
  const folder = join(root, readdirSync(root)[0] ?? '');
  const again = () => new FileConversationStore(root);
  const newest = () => Math.max(...readdirSync(join(folder, 'index')).map(Number));
  const file = () => join(folder, 'index', String(newest()));
  return { folder, store, again, records: records.reverse(), file };
}

test('a directory of an older version gets an index, and is read once', async () => {
  const { folder, again, records, file } = await directoryWith(5);
  rmSync(join(folder, 'index'), { recursive: true });
  expect(await again().list('ada', ALL)).toEqual(records);
  expect(readFileSync(file(), 'utf8').trim().split('\n')).toHaveLength(5);
  const { ino } = statSync(file());
  expect(await again().list('ada', ALL)).toEqual(records);
  expect(statSync(file()).ino).toBe(ino);
});

test('a directory of an older version with many conversations gets an index by several processes at once', async () => {
  const { folder, again } = await directoryWith(1);
  rmSync(join(folder, 'index'), { recursive: true });
  const records = Array.from({ length: 2_500 }, (_, index) => sample(index)).reverse();
  for (const record of records) {
    mkdirSync(join(folder, record.id), { recursive: true });
    writeFileSync(join(folder, record.id, 'record.json'), JSON.stringify(record));
  }
  const stores = [again(), again(), again()];
  const lists = await Promise.all(stores.map((store) => store.list('ada', { limit: 3_000 })));
  for (const list of lists) expect(list).toEqual(records);
  expect(await again().usage('ada')).toEqual({ conversations: 2_500, bytes: 0 });
  // It was read from the lines: no record is needed for it.
  for (const { id } of records) rmSync(join(folder, id, 'record.json'));
  expect(await again().usage('ada')).toEqual({ conversations: 2_500, bytes: 0 });
});

test('an index that is deleted under a store that uses it is made again', async () => {
  const { folder, store, again, records } = await directoryWith(3);
  expect(await store.list('ada', ALL)).toEqual(records);
  rmSync(join(folder, 'index'), { recursive: true });
  expect(await store.list('ada', ALL)).toEqual(records);
  rmSync(join(folder, 'index'), { recursive: true });
  await store.update(idKey(0), { updatedAt: 500 });
  const changed = [{ ...sample(0), updatedAt: 500 }, ...records.slice(0, 2)];
  expect(await store.list('ada', ALL)).toEqual(changed);
  expect(await again().list('ada', ALL)).toEqual(changed);
});

const DAMAGED = [
  ...[
    'null',
    '7',
    '[]',
    '[1.5]',
    '["7"]',
    '{}',
    '["x",1,1]',
    `["${idOf(1)}","1",2]`,
    `["${idOf(1)}"]`,
    `["${idOf(1)}",null,null]`,
  ],
  ...['{"__proto__":[]}', '\0\0\0\0', '\ud800', 'x'.repeat(10_000), `["${idOf(1)}",1,2]["${idOf(2)}",1,2]`],
];

test.each(DAMAGED.map((line) => [line.slice(0, 60), line]))(
  'a line that begins with %j is no error, and the index is made again',
  async (_, line) => {
    const { store, again, records, file } = await directoryWith(3);
    await store.list('ada', ALL);
    // In the place of a line that said something.
    const text = readFileSync(file(), 'utf8').replace(/\["00000000-0000-4000-8000-000000000002.*/, () => line);
    writeFileSync(file(), text);
    expect(await again().list('ada', ALL)).toEqual(records);
    expect(readFileSync(file(), 'utf8')).not.toContain(line);
    expect(await store.list('ada', ALL)).toEqual(records);
  },
);

test('lines that come twice, or behind later ones, change nothing', async () => {
  const { store, again, file } = await directoryWith(3);
  const old = readFileSync(file(), 'utf8');
  await store.update(idKey(0), { updatedAt: 500 });
  await store.remove(idKey(1));
  // As if it was copied into the next file after them.
  appendFileSync(file(), old);
  const left = [{ ...sample(0), updatedAt: 500 }, sample(2)];
  for (const each of [store, again()]) {
    expect(await each.list('ada', { limit: 1 })).toEqual(left.slice(0, 1));
    expect(await each.usage('ada')).toEqual({ conversations: 2, bytes: 0 });
    expect(await each.list('ada', ALL)).toEqual(left);
  }
});

test('a line that a crash has cut does not spoil the next one', async () => {
  const { store, again, records, file } = await directoryWith(2);
  appendFileSync(file(), `\n["${idOf(1)}",1`);
  expect(await store.list('ada', ALL)).toEqual(records);
  await store.create(sample(2));
  expect(await store.list('ada', ALL)).toEqual([sample(2), ...records]);
  expect(await again().list('ada', ALL)).toEqual([sample(2), ...records]);
});

test('a line that is not right about a record changes nothing that is shown', async () => {
  const { store, again, records, file } = await directoryWith(4);
  const lines = [
    [idOf(0), 900, 0],
    [idOf(3), 50, 0],
    [idOf(7), 800, 0],
    [idOf(2), 900],
  ];
  appendFileSync(file(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await again().list('ada', ALL)).toEqual(records);
  expect(await store.list('ada', ALL)).toEqual(records);
});

test('a conversation whose host died before it told the index is found by the next process', async () => {
  const { folder, again, records } = await directoryWith(2);
  mkdirSync(join(folder, idOf(2)));
  writeFileSync(join(folder, idOf(2), 'record.json'), JSON.stringify(sample(2)));
  mkdirSync(join(folder, idOf(3)));
  expect(await again().list('ada', ALL)).toEqual([sample(2), ...records]);
  expect(existsSync(join(folder, idOf(3)))).toBe(true);
});

test('a conversation whose host died while it removed it is not in the list', async () => {
  const { folder, store, again, records } = await directoryWith(3);
  await store.list('ada', ALL);
  rmSync(join(folder, idOf(1)), { recursive: true });
  const left = records.filter(({ id }) => id !== idOf(1));
  expect(await store.list('ada', { limit: 2 })).toEqual(left);
  expect(await again().list('ada', ALL)).toEqual(left);
});

afterEach(() => void vi.useRealTimers());

/** Files have times of the system, so those are old for a store that looks later. */
const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
/** What a process does that dies in `remove()` or `create()` before it tells the index. */
const dieRemoving = (folder: string, index: number): string => {
  const gone = join(folder, `removed.${idOf(index)}`);
  renameSync(join(folder, idOf(index)), gone);
  return gone;
};
const dieCreating = (folder: string, index: number): void => {
  mkdirSync(join(folder, idOf(index)));
  writeFileSync(join(folder, idOf(index), 'record.json'), JSON.stringify({ ...sample(index), bytes: 7 }));
};

test('what a host removed that died before it said so counts no longer, also in hosts that live', async () => {
  const { folder, store, again } = await directoryWith(4);
  await store.update(idKey(1), { bytes: 500 });
  const other = again();
  for (const each of [store, other]) expect(await each.usage('ada')).toEqual({ conversations: 4, bytes: 500 });
  dieRemoving(folder, 1);
  later(1_000);
  for (const each of [store, other, again()]) {
    expect(await each.usage('ada')).toEqual({ conversations: 3, bytes: 0 });
  }
});

test('a conversation is refused only when there are as many, whatever dead hosts have left', async () => {
  const { folder, store, again } = await directoryWith(3);
  const other = again();
  const refusal = { code: 'limit_reached', message: expect.stringContaining('has 3 conversations') };
  let next = 10;
  const isRefused = async (each: FileConversationStore): Promise<void> => {
    next += 1;
    await expect(each.create(sample(next), 3)).rejects.toMatchObject(refusal);
  };
  await isRefused(store);
  await isRefused(other);
  dieRemoving(folder, 0);
  // At once: nothing may be remembered of a moment ago.
  await store.create(sample(3), 3);
  await isRefused(other);
  dieRemoving(folder, 1);
  dieCreating(folder, 4);
  await isRefused(store);
  later(1_000);
  for (const each of [store, other]) expect(await each.usage('ada')).toEqual({ conversations: 3, bytes: 7 });
});

test('an index that was made when there were more refuses nothing', async () => {
  const { folder, again } = await directoryWith(5);
  const lines = [0, 1, 2, 3, 4].map((index) => `${JSON.stringify([idOf(index), 100 + index, 0])}\n`);
  writeFileSync(join(folder, 'index', '1'), `[5]\n${lines.join('')}`);
  const store = again();
  for (const index of [0, 1, 2, 3]) await store.remove(idKey(index));
  await store.create(sample(6), 3);
  await store.create(sample(7), 3);
  await expect(store.create(sample(8), 3)).rejects.toMatchObject({ code: 'limit_reached' });
});

test('what a dead removal left is removed by a list after a minute, and a removal that lives is not disturbed', async () => {
  const { folder, store, records } = await directoryWith(2);
  await store.list('ada', ALL);
  const gone = dieRemoving(folder, 1);
  later(59_000);
  expect(await store.list('ada', ALL)).toEqual(records.slice(1));
  await store.usage('ada');
  expect(existsSync(join(gone, 'record.json'))).toBe(true);
  later(61_000);
  await store.list('ada', ALL);
  expect(existsSync(gone)).toBe(false);
  expect(await store.usage('ada')).toEqual({ conversations: 1, bytes: 0 });
});

test('what a dead creation left without a record is removed after an hour', async () => {
  const { folder, again, records } = await directoryWith(2);
  const left = join(folder, idOf(7));
  mkdirSync(left);
  writeFileSync(join(left, 'draft.x'), JSON.stringify(sample(7)));
  later(3_599_000);
  await again().list('ada', ALL);
  expect(existsSync(left)).toBe(true);
  later(3_601_000);
  expect(await again().list('ada', ALL)).toEqual(records);
  expect(existsSync(left)).toBe(false);
});

test('a folder in which nothing was made or removed is not read again', async () => {
  const { folder, store } = await directoryWith(2);
  utimesSync(folder, 1_000, 1_000);
  expect(await store.usage('ada')).toEqual({ conversations: 2, bytes: 0 });
  // What it would find if it did.
  dieCreating(folder, 5);
  utimesSync(folder, 1_000, 1_000);
  later(3_600_000);
  expect(await store.usage('ada')).toEqual({ conversations: 2, bytes: 0 });
  await store.list('ada', ALL);
  expect(await store.usage('ada')).toEqual({ conversations: 2, bytes: 0 });
  utimesSync(folder, 2_000, 2_000);
  expect(await store.usage('ada')).toEqual({ conversations: 3, bytes: 7 });
});

test('several processes that change the same conversations agree on the list, and the index stays short', async () => {
  const { store, again, file } = await directoryWith(6);
  const stores = [store, again(), again()];
  const changes = stores.map(async (each, turn) => {
    for (let index = 0; index < 700; index += 1) {
      await each.update(idKey((index + turn) % 6), { updatedAt: 1_000 + index * 3 + turn });
      if (index % 7 === 0) await each.list('ada', { limit: 3 });
    }
  });
  await Promise.all(changes);
  const records = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => store.get(idKey(index))));
  const sorted = records.filter((record) => record !== undefined).sort(newestFirst);
  for (const each of [...stores, again()]) expect(await each.list('ada', ALL)).toEqual(sorted);
  expect(readFileSync(file(), 'utf8').split('\n').length).toBeLessThan(3_000);
  expect(Number(file().split('/').at(-1))).toBeGreaterThan(0);
});
