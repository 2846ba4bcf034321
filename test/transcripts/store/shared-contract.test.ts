import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  FileSessionStore,
  InMemorySessionStore,
  InvalidOptionError,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from '../../../src/index.js';
import { type SharedSessionStore, sharedSessionStoreContract } from '../../../src/testing/index.js';
import { MapStore } from './map-store.js';

const folder = mkdtempSync(join(tmpdir(), 'claudewire-shared-'));
let stores = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (): SharedSessionStore => {
  const place = join(folder, `store-${stores++}`);
  return { store: new FileSessionStore(place), again: () => new FileSessionStore(place) };
};
const same = (store: SessionStore): SharedSessionStore => ({ store, again: () => store });

describe('FileSessionStore keeps the contract of stores with several writers:', () => {
  for (const { name, run } of sharedSessionStoreContract(files)) test(name, run);
});

/** Stores entries one at a time, and gives way between them. */
class OneByOne extends InMemorySessionStore {
  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    for (const entry of entries) {
      await super.append(key, [entry]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Writes what can be written before it looks at the rest. */
class Halfway extends InMemorySessionStore {
  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    for (const entry of entries) await super.append(key, [JSON.parse(JSON.stringify(entry)) as SessionStoreEntry]);
  }
}

/** Takes every entry for one it knows by its text. */
class OnceOnly extends InMemorySessionStore {
  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const known = new Set(((await this.load(key)) ?? []).map((entry) => JSON.stringify(entry)));
    await super.append(
      key,
      entries.filter((entry) => !known.has(JSON.stringify(entry))),
    );
  }
}

/** Joins the names of a key with a separator that may be in them. */
class Joined extends MapStore {
  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    await super.append(plain(key), entries);
  }
  override async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    return await super.load(plain(key));
  }
}
const plain = ({ projectKey, ...key }: SessionKey): SessionKey => ({ ...key, projectKey: projectKey.toLowerCase() });

/** One for every case that it breaks. */
const BROKEN: Readonly<Record<string, () => SharedSessionStore>> = {
  'what one process has appended, another one loads, lists and goes on with': () => ({
    store: new InMemorySessionStore(),
    again: () => new InMemorySessionStore(),
  }),
  'an entry that is appended again, by whomever and beside whatever, is loaded once and keeps its place': () =>
    same(new InMemorySessionStore()),
  'an append that is made many times at once is stored once': () => same(new InMemorySessionStore()),
  'two processes that append at once lose nothing, keep the order of each, and their batches in one piece': () =>
    same(new OneByOne()),
  'an append with an entry that cannot be stored stores nothing': () => same(new Halfway()),
  'entries without a uuid count every time that they are said': () => same(new OnceOnly()),
  'names with the separators of keys stay apart': () => same(new Joined()),
};

describe('the contract finds a store that breaks it:', () => {
  const cases = sharedSessionStoreContract(files);

  test('there is such a store for every case', () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(BROKEN));
  });

  for (const [name, make] of Object.entries(BROKEN)) {
    test(name, async () => {
      const found = sharedSessionStoreContract(make).find((each) => each.name === name);
      await expect(found?.run()).rejects.toThrow();
    });
  }

  test('it wants a function', () => {
    expect(() => sharedSessionStoreContract(undefined as never)).toThrow(InvalidOptionError);
  });
});
