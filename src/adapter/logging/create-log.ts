import type { AdapterLogger, Log } from './log.js';
import type { Redact } from './redact.js';

/** What stands before every message unless the adapter was given another name. */
export const DEFAULT_LABEL = 'claude_agent_sdk';

/**
 * Binds a logger to a label. Without a logger nothing is written anywhere. Whatever the logger does, throwing and
 * rejecting included, no caller of the log notices.
 *
 * @param redact - Goes over every context before the logger sees it.
 */
export function createLog(
  logger: AdapterLogger | undefined,
  label: string = DEFAULT_LABEL,
  redact?: Redact,
): Log {
  const write =
    (level: keyof AdapterLogger) =>
    (event: string, context: Readonly<Record<string, unknown>>): void => {
      if (logger === undefined) return;
      try {
        const safe = redact === undefined ? context : redact.value(context);
        const written: unknown = logger[level](`${label}.${event}`, { event, context: safe });
        // The type says void, and an async method fits it.
        if (written instanceof Promise) written.catch(() => {});
      } catch {
        // A logger that fails has nowhere to report it, and must not end a run.
      }
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
