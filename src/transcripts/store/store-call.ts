import { invalidOption } from '../../errors/usage-errors.js';
import { InvalidOptionError, SessionStoreError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { onAbort } from '../../util/on-abort.js';
import { firstOf } from '../../util/race.js';
import { toTimerLimit } from '../../util/timer-limit.js';
import type { SessionKey, SessionStore } from './session-store.js';

/** How long a store may take for one call, in milliseconds. */
export const STORE_CALL_TIMEOUT_MS = 60_000;

export interface CallLimits {
  /** Milliseconds; `0` and `Infinity` wait for ever. @defaultValue `60_000` */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait. The store's own call cannot be cancelled and continues. */
  readonly signal?: AbortSignal | undefined;
}

type StoreMethod = keyof SessionStore;
type Arguments<M extends StoreMethod> = Parameters<NonNullable<SessionStore[M]>>;

/**
 * Calls one method of a store, on the store itself, and waits no longer than the limits. The caller checks the answer.
 * The timer keeps the process alive: a caller waits, and the store may hold nothing that does.
 * @throws what the store threw or rejected with, as it is; the signal's reason when it aborted.
 * @throws {@link SessionStoreError} (`session_store_timeout`) no answer in time. The call may still take effect.
 */
export async function callStore<M extends StoreMethod>(
  store: Pick<SessionStore, M>,
  method: M,
  args: Arguments<M>,
  { timeoutMs = STORE_CALL_TIMEOUT_MS, signal }: CallLimits = {},
): Promise<unknown> {
  signal?.throwIfAborted();
  // Read once, called with `this`: a getter, a class and a plain object all work.
  const implementation: unknown = store[method];
  if (typeof implementation !== 'function') throw missingMethod(method, implementation);
  const answer: unknown = Reflect.apply(implementation, store, args);
  const limit = toTimerLimit(timeoutMs);
  return firstOf<unknown>(
    () => answer,
    ({ reject }) => {
      const timer = Number.isFinite(limit)
        ? setTimeout(() => reject(timeoutError(method, args[0], limit)), limit)
        : undefined;
      const forgetAbort = signal && onAbort(signal, () => reject(signal.reason));
      return () => {
        clearTimeout(timer);
        forgetAbort?.();
      };
    },
  );
}

/** True when the store has the method. Not cached: the store may be a proxy. */
export function hasMethod<M extends StoreMethod>(
  store: SessionStore,
  method: M,
): store is SessionStore & Required<Pick<SessionStore, M>> {
  return typeof store[method] === 'function';
}

/**
 * Checks for a store. Its methods are checked when they are needed, so that a store made only for reading can be read
 * from.
 * @throws {@link InvalidOptionError} not an object.
 */
export function checkStore(store: unknown, option = 'sessionStore'): asserts store is SessionStore {
  if (typeof store === 'object' && store !== null) return;
  throw invalidOption(option, 'a SessionStore (an object with append() and load())', store);
}

/** @param use - What cannot be done without the method, such as `list sessions`. */
export function missingMethod(method: StoreMethod, found: unknown, use?: string): InvalidOptionError {
  const lack = found === undefined ? 'is not implemented' : `must be a function, got ${describeValue(found)}`;
  return new InvalidOptionError(
    'sessionStore',
    `sessionStore.${method} ${lack}${use === undefined ? '' : ` -- cannot ${use}`}. ` +
      `Provide a store with a ${method}() method.`,
  );
}

/** @param argument - A key, which says which session the call was about, or a `projectKey`. */
function timeoutError(method: StoreMethod, argument: string | SessionKey, timeoutMs: number): SessionStoreError {
  const { sessionId, subpath } = typeof argument === 'string' ? {} : argument;
  return new SessionStoreError({ method, sessionId, subpath }, `timed out after ${timeoutMs}ms`, {
    errorClass: 'session_store_timeout',
  });
}
