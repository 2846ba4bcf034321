import { AbortError } from '../errors.js';

/** The error of a run that its caller's signal stopped; `cause` is the signal's reason. */
export function abortError(signal: AbortSignal | undefined): AbortError {
  return new AbortError('Claude Code run aborted by user', { cause: signal?.reason });
}

interface Watch {
  readonly actions: Set<() => void>;
  readonly run: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Runs `action` when the signal aborts. All sessions of one signal share one listener: a program that stops
 * fifty of them by one controller is no leak, and Node warns of one at the eleventh listener.
 *
 * @returns takes the action back, and the listener with the last one. Safe to call twice.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  const { actions, run } = watches.get(signal) ?? watch(signal);
  actions.add(action);
  return () => {
    if (!actions.delete(action) || actions.size > 0) return;
    signal.removeEventListener('abort', run);
    watches.delete(signal);
  };
}

function watch(signal: AbortSignal): Watch {
  const actions = new Set<() => void>();
  const run = (): void => {
    for (const action of [...actions]) action();
  };
  const made = { actions, run };
  signal.addEventListener('abort', run, { once: true });
  watches.set(signal, made);
  return made;
}
