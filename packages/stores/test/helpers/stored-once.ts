import type { SessionKey, SessionStore, SessionStoreEntry } from 'claudewire';
import type { EventLog } from 'claudewire-server';
import { expect, vi } from 'vitest';
import { StoreError } from '../../src/redis/index.js';
import { type CuttingProxy, DIRECTIONS } from './cutting-proxy.js';

/** A batch as the CLI writes them: entries with an id, and a title without one. */
export const batchOf = (name: string): SessionStoreEntry[] => [
  { type: 'user', uuid: `${name}-1`, text: 'a' },
  { type: 'custom-title', customTitle: name },
  { type: 'assistant', uuid: `${name}-2`, text: 'b' },
];

/** Repeats what fails with an error that says it may help. */
export async function untilDone<T>(what: () => Promise<T>): Promise<{ readonly result: T; readonly errors: number }> {
  for (let errors = 0; ; errors += 1) {
    try {
      return { result: await what(), errors };
    } catch (error) {
      expect(error).toBeInstanceOf(StoreError);
      expect(['unavailable', 'timeout', 'conflict']).toContain((error as StoreError).code);
      if (errors > 20) throw error;
    }
  }
}

/** `STORES_CUTS=all` cuts after every single byte, which takes minutes. */
const CUTS_ALL = process.env.STORES_CUTS === 'all';
// The calls of a conversation in PostgreSQL took 392 s.
if (CUTS_ALL) vi.setConfig({ testTimeout: 1_500_000 });

/**
 * Cuts the connection of an append after so many bytes, for numbers from the first byte to the last of it, in both
 * directions, and looks at what is stored.
 *
 * @param step - From one number to the next.
 * @param append - Gets a name that is as long for each append.
 * @returns how many cuts there were.
 */
export async function cutEverywhere(
  proxy: CuttingProxy,
  step: number,
  append: (name: string) => Promise<void>,
  check: (name: string) => Promise<void>,
): Promise<number> {
  const nameOf = (letter: string, bytes: number): string => `${letter}${String(bytes).padStart(7, '0')}`;
  await append(nameOf('a', 0));
  proxy.counts();
  await append(nameOf('b', 0));
  const size = proxy.counts();
  let cuts = 0;
  for (const direction of DIRECTIONS) {
    expect(size[direction]).toBeGreaterThan(3);
    for (let bytes = 0; bytes < size[direction]; bytes += CUTS_ALL ? 1 : step) {
      const name = nameOf(direction === 'to the server' ? 't' : 'f', bytes);
      proxy.cutAfter(bytes, direction);
      await untilDone(() => append(name));
      expect(proxy.hasCut, `cut ${direction} after ${bytes} bytes`).toBe(true);
      await check(name);
      cuts += 1;
    }
  }
  if (CUTS_ALL) console.info(`${cuts} cuts`);
  return cuts;
}

export const sessionKey = (name: string): SessionKey => ({ projectKey: 'p', sessionId: name });

/** Through a store that nothing cuts. */
export async function expectSessionOnce(store: SessionStore, name: string): Promise<void> {
  expect(await store.load(sessionKey(name)), name).toEqual(batchOf(name));
}

/** @param texts - One for each append. */
export async function expectEvents(log: EventLog, id: string, texts: readonly string[]): Promise<void> {
  const { events, lastId } = await log.read({ tenant: 'ada', id }, 0, 10_000);
  expect(events.map(({ event }) => (event.type === 'user_message' ? event.text : ''))).toEqual(texts);
  expect(events.map((event) => event.id)).toEqual(texts.map((_, index) => index + 1));
  expect(lastId).toBe(texts.length);
}
