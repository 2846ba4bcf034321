import { createDeferred, type Deferred } from './deferred.js';
import { onAbort } from './on-abort.js';

/** The two ways to end a wait. */
type WaitEnd<T> = Pick<Deferred<T>, 'resolve' | 'reject'>;

/**
 * Starts work and waits for it until `watch` ends the wait, whichever comes first. What `watch` set up is released
 * before this settles, so no timer and no listener outlives the wait. Work that loses goes on; what it settles with is
 * dropped, and its rejection does not count as unhandled.
 * @param watch - Called before the work starts. Returns its release. Must not throw.
 */
export async function firstOf<T, U = never>(
  start: () => T | PromiseLike<T>,
  watch: (end: WaitEnd<U>) => () => void,
): Promise<T | U> {
  const end = createDeferred<U>();
  const release = watch(end);
  try {
    return await Promise.race([start(), end.promise]);
  } finally {
    release();
  }
}

/**
 * Waits for `work`, but no longer than `limitMs`. The timer keeps the host alive.
 * @param limitMs - What a timer can hold; `Infinity`: no limit.
 * @param onLate - Called when the limit passes. What it returns or throws is the outcome. @defaultValue `undefined`
 */
export function within<T, U = undefined>(
  limitMs: number,
  work: PromiseLike<T>,
  onLate?: () => U | PromiseLike<U>,
): Promise<T | U> {
  return firstOf<T, U>(
    () => work,
    (end) => {
      if (limitMs === Number.POSITIVE_INFINITY) return () => {};
      const timer = setTimeout(() => settleWith(end, onLate), limitMs);
      return () => clearTimeout(timer);
    },
  );
}

/**
 * Starts work and waits for it until one of the signals aborts. Starts nothing when one has aborted already.
 * @param onAborted - Called once, as soon as a signal aborts. What it returns or throws is the outcome.
 */
export async function untilAborted<T, U>(
  signals: AbortSignal | readonly AbortSignal[],
  start: () => T | PromiseLike<T>,
  onAborted: () => U | PromiseLike<U>,
): Promise<T | U> {
  const all = 'aborted' in signals ? [signals] : signals;
  if (all.some((signal) => signal.aborted)) return onAborted();
  return firstOf<T, U>(start, (end) => {
    let isOver = false;
    const abort = (): void => {
      if (isOver) return;
      isOver = true;
      settleWith(end, onAborted);
    };
    const releases = all.map((signal) => onAbort(signal, abort));
    return () => {
      for (const release of releases) release();
    };
  });
}

function settleWith<U>(end: WaitEnd<U>, outcome: (() => U | PromiseLike<U>) | undefined): void {
  try {
    // Without `outcome`, U is `undefined`.
    end.resolve(outcome?.() as U);
  } catch (error) {
    end.reject(error);
  }
}
