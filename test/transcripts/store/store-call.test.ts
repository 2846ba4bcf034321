import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { InvalidOptionError, type SessionStore, SessionStoreError } from '../../../src/index.js';
import { listStored, listSubpaths, listSummaries, loadEntries } from '../../../src/transcripts/store/store-answers.js';
import { callStore, checkStore, STORE_CALL_TIMEOUT_MS } from '../../../src/transcripts/store/store-call.js';

const KEY = { projectKey: 'p', sessionId: '3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b' };
const never = () => new Promise<never>(() => {});
const store = (methods: object): SessionStore => methods as SessionStore;

afterEach(() => {
  vi.useRealTimers();
});

describe('a call to a store', () => {
  test('ends after 60 s with an error that names the method and the session', async () => {
    vi.useFakeTimers();
    const call = callStore(store({ load: never }), 'load', [{ ...KEY, subpath: 'a/b' }]);
    const failed = expect(call).rejects.toMatchObject({
      errorClass: 'session_store_timeout',
      method: 'load',
      sessionId: KEY.sessionId,
      subpath: 'a/b',
    });
    await vi.advanceTimersByTimeAsync(STORE_CALL_TIMEOUT_MS - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    await expect(call).rejects.toThrow('SessionStore.load() timed out after 60000ms');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind, whether it resolves, rejects or throws', async () => {
    vi.useFakeTimers();
    await callStore(store({ load: async () => null }), 'load', [KEY]);
    await callStore(store({ load: async () => Promise.reject(new Error()) }), 'load', [KEY]).catch(() => {});
    const throws = store({
      load: () => {
        throw new Error();
      },
    });
    await callStore(throws, 'load', [KEY]).catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  test('rejects with what the store rejected with, the same object', async () => {
    const mine = new Error('boom');
    const rejects = store({ load: async () => Promise.reject(mine) });
    await expect(callStore(rejects, 'load', [KEY])).rejects.toBe(mine);
  });

  test('an answer that fails after the time-out is nobody’s unhandled rejection', async () => {
    vi.useFakeTimers();
    const late = store({ load: () => new Promise((_resolve, reject) => setTimeout(reject, 100, new Error('late'))) });
    const call = expect(callStore(late, 'load', [KEY], { timeoutMs: 10 })).rejects.toThrow('timed out');
    await vi.advanceTimersByTimeAsync(200);
    await call;
  });

  test.each([0, Number.POSITIVE_INFINITY])('with a limit of %s it has none', async (limit) => {
    vi.useFakeTimers();
    void callStore(store({ load: never }), 'load', [KEY], { timeoutMs: limit });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ends with the reason of an abort, and leaves no timer and no listener', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const { signal } = controller;
    const late = store({ load: () => new Promise((_resolve, reject) => setTimeout(reject, 5000, new Error('late'))) });
    const failed = expect(callStore(late, 'load', [KEY], { signal })).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await failed;
    await vi.advanceTimersByTimeAsync(5000);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);

    const load = vi.fn();
    await expect(callStore(store({ load }), 'load', [KEY], { signal })).rejects.toThrow('enough');
    expect(load).not.toHaveBeenCalled();
  });

  test('is made on the store: methods of a class may use this and private fields', async () => {
    class Mine {
      readonly #entries = [{ type: 'x' }];
      async load() {
        return this.#entries;
      }
    }
    expect(await loadEntries(new Mine() as never, KEY)).toEqual([{ type: 'x' }]);
  });

  test('accepts a method that answers without a promise', async () => {
    expect(await loadEntries(store({ load: () => null }), KEY)).toBeNull();
  });

  test('refuses a method that is missing or no function', async () => {
    const missing = callStore(store({}), 'append', [KEY, []]);
    await expect(missing).rejects.toThrow('sessionStore.append is not implemented');
    await expect(callStore(store({ load: 5 }), 'load', [KEY])).rejects.toThrow(
      'sessionStore.load must be a function, got number 5',
    );
  });

  test.each([5, 'x', null, undefined, () => {}])('%s is no store', (value) => {
    expect(() => checkStore(value)).toThrow(InvalidOptionError);
  });
});

/** `[<hole>, value]` */
function withHole(value: unknown): unknown[] {
  const list: unknown[] = [];
  list[1] = value;
  return list;
}

/** A row whose fields cannot be read. */
const TRAP = Object.defineProperty({}, 'sessionId', {
  get: () => {
    throw new RangeError('no row');
  },
});
Object.defineProperty(TRAP, 'data', Object.getOwnPropertyDescriptor(TRAP, 'sessionId') ?? {});

const BROKEN: ProxyHandler<unknown[]> = {
  get: (_list, name) => {
    if (name === 'then') return undefined;
    throw new RangeError('no list');
  },
};

describe('an answer that is none is an error that names method and type:', () => {
  const cases: readonly [string, () => Promise<unknown>, string][] = [
    ['load', () => loadEntries(store({ load: async () => 'x' }), KEY), 'string "x" instead of an array of entries'],
    ['load', () => loadEntries(store({ load: async () => [{}, 5] }), KEY), 'number 5 at [1]'],
    ['listSessions', () => listStored(store({ listSessions: async () => null }), 'p'), 'null instead of an array'],
    [
      'listSessions',
      () => listStored(store({ listSessions: async () => [{ sessionId: 's', mtime: Number.NaN }] }), 'p'),
      '[0].mtime = number NaN',
    ],
    [
      'listSessions',
      () => listStored(store({ listSessions: async () => [{ sessionId: 's' }] }), 'p'),
      '[0].mtime = undefined',
    ],
    [
      'listSessions',
      () => listStored(store({ listSessions: async () => [{ mtime: 5 }] }), 'p'),
      '[0].sessionId = undefined',
    ],
    [
      'listSessionSummaries',
      () => listSummaries(store({ listSessionSummaries: async () => [{ sessionId: 's', mtime: 1, data: null }] }), 'p'),
      '[0].data = null',
    ],
    ['listSubkeys', () => listSubpaths(store({ listSubkeys: async () => ['a', {}] }), KEY), 'object at [1]'],
    ['load', () => loadEntries(store({ load: async () => withHole({}) }), KEY), 'undefined at [0]'],
    ['listSessions', () => listStored(store({ listSessions: async () => withHole({}) }), 'p'), 'undefined at [0]'],
    ['listSubkeys', () => listSubpaths(store({ listSubkeys: async () => withHole('a') }), KEY), 'undefined at [0]'],
    ['listSessions', () => listStored(store({ listSessions: async () => [TRAP] }), 'p'), 'no row'],
    ['listSessionSummaries', () => listSummaries(store({ listSessionSummaries: async () => [TRAP] }), 'p'), 'no row'],
    ['load', () => loadEntries(store({ load: async () => new Proxy([], BROKEN) }), KEY), 'no list'],
  ];
  test.each(cases)('%s', async (method, ask, detail) => {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SessionStoreError);
    expect(error).toMatchObject({ errorClass: 'session_store_failed', method });
    expect((error as Error).message).toContain(`SessionStore.${method}() returned`);
    expect((error as Error).message).toContain(detail);
  });

  test('no answer for "nothing" is needed beyond undefined', async () => {
    expect(await loadEntries(store({ load: async () => undefined }), KEY)).toBeNull();
  });

  test.each([
    ['7', 7],
    [7n, 7],
    [7.5, 7.5],
  ])('an mtime of %o, as databases give, is %d', async (mtime, expected) => {
    const listed = await listStored(store({ listSessions: async () => [{ sessionId: 's', mtime }] }), 'p');
    expect(listed).toEqual([{ sessionId: 's', mtime: expected }]);
  });
});
