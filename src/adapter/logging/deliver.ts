import { errorText } from '../../util/error-text.js';
import type { Log } from './log.js';

/**
 * Tells somebody else's code something. What it throws, or rejects with, is logged as `event_delivery_failed` and takes nothing
 * away from the run.
 *
 * @param call - May return a promise; nobody waits for it.
 */
export function deliver(
  log: Log,
  to: { readonly handler: string; readonly type: unknown },
  call: () => unknown,
): void {
  const onFailure = (error: unknown): void =>
    log.error('event_delivery_failed', { ...to, error: errorText(error) });
  try {
    const done = call();
    if (done instanceof Promise) done.catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}
