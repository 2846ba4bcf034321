import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreError, StoreError } from '../errors.js';

/** What a call may cost. */
export interface CallOptions {
  /** Milliseconds for one call of a store, with everything that is repeated in it. @defaultValue 10_000 */
  readonly timeoutMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;

/** One call of a store: what it is called in errors, how long it may take, and what an error of the client means. */
export interface Call {
  /** Begins the message, such as `Appending to a session`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly translate: (error: unknown, what: string) => StoreError | undefined;
}

/**
 * Runs a task that may be repeated: it is, for as long as there is time, when the server is away or another writer was
 * faster.
 *
 * @param task - Gets what is left of the time, in milliseconds.
 * @throws StoreError, `failed` for what `translate` does not know, such as a pool that was ended.
 */
export async function attempt<T>(call: Call, task: (leftMs: number) => Promise<T>): Promise<T> {
  const end = performance.now() + call.timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = end - performance.now();
    try {
      return await within(Math.max(1, leftMs), call, task);
    } catch (thrown) {
      const error = isStoreError(thrown)
        ? thrown
        : (call.translate(thrown, call.what) ?? unknownError(thrown, call.what));
      // Writers that met once should not meet again.
      const pause = pauseMs * (0.5 + Math.random());
      const isOver = performance.now() + pause >= end;
      if (!isStoreError(error, 'unavailable', 'conflict') || isOver) throw error;
      await sleep(pause);
    }
  }
}

async function within<T>(ms: number, call: Call, task: (leftMs: number) => Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError(call)), ms);
    task(ms)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
}

function unknownError(cause: unknown, what: string): StoreError {
  const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
  return new StoreError('failed', `${what} failed: ${reason.slice(0, 200)}`, { cause, hint: 'Look at `cause`.' });
}

export function timeoutError({ what, timeoutMs }: Pick<Call, 'what' | 'timeoutMs'>, cause?: unknown): StoreError {
  return new StoreError('timeout', `${what} got no answer within ${timeoutMs} ms.`, {
    ...(cause === undefined ? {} : { cause }),
    hint: 'It may still be done. Repeat the call, raise `timeoutMs`, or look at the server.',
  });
}
