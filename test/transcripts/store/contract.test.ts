import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  FileSessionStore,
  InMemorySessionStore,
  InvalidOptionError,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from '../../../src/index.js';
import {
  runSessionStoreContract,
  SessionStoreContractError,
  sessionStoreContract,
} from '../../../src/testing/index.js';
import { BROKEN_STORES } from './broken-stores.js';
import { MapStore } from './map-store.js';

const folder = mkdtempSync(join(tmpdir(), 'claudewire-contract-'));
let stores = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const good: Readonly<Record<string, () => SessionStore>> = {
  InMemorySessionStore: () => new InMemorySessionStore(),
  FileSessionStore: () => new FileSessionStore(join(folder, `store-${stores++}`)),
  'a store over a Map': () => new MapStore(),
};

for (const [name, makeStore] of Object.entries(good)) {
  describe(`${name} keeps the contract: (PY-321)`, () => {
    for (const { name: promise, run } of sessionStoreContract(makeStore)) test(promise, run);
  });
}

describe('the contract finds a store that breaks it: (PY-321)', () => {
  const cases = sessionStoreContract(() => new MapStore());

  test('there is such a store for every case', () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(BROKEN_STORES));
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test('one that replaces half a surrogate pair, as UTF-8 does', async () => {
    const store = () =>
      new (class extends MapStore {
        override async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
          const text = Buffer.from(JSON.stringify(await super.load(key)).replace(/\\ud83d/g, '\ud83d'));
          return JSON.parse(text.toString()) as SessionStoreEntry[] | null;
        }
      })();
    const name = 'a key named __proto__ and half a surrogate pair are kept';
    const found = sessionStoreContract(store).find((each) => each.name === name);
    await expect(found?.run()).rejects.toThrow('the text of load()');
  });

  for (const [name, makeStore] of Object.entries(BROKEN_STORES)) {
    test(name, async () => {
      const found = sessionStoreContract(makeStore).find((each) => each.name === name);
      await expect(found?.run()).rejects.toThrow();
    });
  }
});

describe('the contract', () => {
  /** Only what every store needs. */
  class SmallStore implements SessionStore {
    readonly #store = new MapStore();
    append: SessionStore['append'] = (key, entries) => this.#store.append(key, entries);
    load: SessionStore['load'] = (key) => this.#store.load(key);
  }

  test('skips what is about methods that the store does not have, and says so', async () => {
    const report = await runSessionStoreContract(() => new SmallStore());
    const cases = sessionStoreContract(() => new SmallStore());
    expect(report.failed).toEqual([]);
    expect(report.skipped).toEqual(cases.filter(({ isOptional }) => isOptional).map(({ name }) => name));
    expect(report.passed.length).toBe(cases.length - report.skipped.length);
  });

  test('tells the test runner what it skips', async () => {
    const skip = vi.fn();
    const [optional] = sessionStoreContract(() => new SmallStore()).filter(({ isOptional }) => isOptional);
    await optional?.run({ skip });
    expect(skip.mock.calls).toEqual([['the store has no listSessions()']]);
    await expect(optional?.run()).resolves.toBeUndefined();
  });

  test('leaves out the cases of the methods in skipOptional', () => {
    const all = sessionStoreContract(() => new MapStore());
    const some = sessionStoreContract(() => new MapStore(), { skipOptional: ['delete'] });
    expect(some.length).toBeLessThan(all.length);
    expect(some.filter(({ name }) => name.includes('delete'))).toEqual([]);
  });

  test('refuses names that are no optional methods, and a factory that is none', () => {
    expect(() => sessionStoreContract(() => new MapStore(), { skipOptional: ['load' as 'delete'] })).toThrow(
      'Option `skipOptional` must be a list of optional methods',
    );
    expect(() => sessionStoreContract(new MapStore() as never)).toThrow(InvalidOptionError);
  });

  test('reports every case that failed', async () => {
    const nothing: SessionStore = { append: async () => {}, load: async () => null };
    const error = await runSessionStoreContract(() => nothing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SessionStoreContractError);
    const { message, report } = error as SessionStoreContractError;
    expect(report.failed.length).toBeGreaterThan(5);
    for (const { name } of report.failed) expect(message).toContain(name);
  });

  test('names the method of a store that never answers', async () => {
    const hangs: SessionStore = { append: () => new Promise(() => {}), load: async () => null };
    const [first] = sessionStoreContract(() => hangs, { timeoutMs: 5 });
    await expect(first?.run()).rejects.toThrow('append() did not settle within 5 ms');
  });

  test('makes a store for each case and disposes of it, also when the case fails', async () => {
    let open = 0;
    const makeStore = async () => {
      open += 1;
      const store = { append: async () => {}, load: async () => null };
      return Object.assign(store, {
        [Symbol.asyncDispose]: async () => {
          open -= 1;
        },
      });
    };
    const [first] = sessionStoreContract(makeStore);
    await expect(first?.run()).rejects.toThrow();
    expect(open).toBe(0);
  });

  test('hands no runner a function that counts a parameter, which some take for a callback', () => {
    for (const { run } of sessionStoreContract(() => new MapStore())) expect(run.length).toBe(0);
  });
});
