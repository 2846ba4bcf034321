import { errorText } from '../../util/error-text.js';
import type { Log } from '../logging/log.js';

export function logHookError(log: Log, hookEvent: string, error: unknown): void {
  log.error('hook.error', {
    error: errorText(error),
    errorType: error instanceof Error ? error.name : typeof error,
    hookEvent,
  });
}
