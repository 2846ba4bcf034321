interface Watch {
  readonly actions: Set<() => void>;
  readonly run: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Runs `action` when the signal aborts. All actions of one signal share one listener: a program that stops fifty runs
 * by one controller is no leak, and Node warns of one at the eleventh listener.
 * @param action - What it throws is dropped, so that the other actions of the signal run too.
 * @returns takes the action back, and the listener with the last one. Safe to call twice.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  const { actions, run } = watches.get(signal) ?? watchSignal(signal);
  // A function of its own: the same action may be given twice.
  const entry = (): void => action();
  actions.add(entry);
  return () => {
    if (!actions.delete(entry) || actions.size > 0) return;
    signal.removeEventListener('abort', run);
    watches.delete(signal);
  };
}

function watchSignal(signal: AbortSignal): Watch {
  const actions = new Set<() => void>();
  const run = (): void => {
    for (const action of [...actions]) {
      try {
        action();
      } catch {
        // See `onAbort`.
      }
    }
  };
  const made = { actions, run };
  signal.addEventListener('abort', run, { once: true });
  watches.set(signal, made);
  return made;
}

/** True for what has the members of an `AbortSignal` that are used here, also one of another realm or a polyfill. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false;
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' && typeof addEventListener === 'function' && typeof removeEventListener === 'function'
  );
}
