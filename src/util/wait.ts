import { onAbort } from './on-abort.js';

/** Resolves after so many milliseconds, or as soon as the signal aborts. The timer keeps the host alive. */
export function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    const forget = onAbort(signal, end);
  });
}
