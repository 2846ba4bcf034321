import { errorText } from '../../util/error-text.js';
import type { Redact } from './redact.js';

/** The shape of a log record, beside its message. */
export interface LogRecord {
  /** Dotted, such as `sdk.evaluate.start`. The message is the adapter's label, a dot, and this. */
  readonly event: string;
  /** Plain values. Never an API key, a token or the value of an environment variable. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** What the adapter logs to. pino with `toAdapterLogger()`, or anything with these four methods. */
export interface AdapterLogger {
  debug(message: string, record: LogRecord): void;
  info(message: string, record: LogRecord): void;
  warn(message: string, record: LogRecord): void;
  error(message: string, record: LogRecord): void;
}

/** A logger bound to one label. Its methods never throw, whatever the logger does. */
export type Log = Readonly<Record<keyof AdapterLogger, (event: string, context: LogRecord['context']) => void>>;

/** The prefix of every message unless the adapter has another name. */
export const DEFAULT_LABEL = 'claude_agent_sdk';

/**
 * Binds a logger to a label. Without a logger nothing is written. Callers never see a logger throw or reject.
 * @param redact - Applied to every context before the logger gets it.
 */
export function createLog(logger: AdapterLogger | undefined, label: string = DEFAULT_LABEL, redact?: Redact): Log {
  const write =
    (level: keyof AdapterLogger) =>
    (event: string, context: LogRecord['context']): void => {
      if (logger === undefined) return;
      try {
        const safe = redact === undefined ? context : redact.value(context);
        const written: unknown = logger[level](`${label}.${event}`, { event, context: safe });
        // An async method fits the type too.
        if (written instanceof Promise) written.catch(() => {});
      } catch {
        // There is nowhere to report it, and it must not end a run.
      }
    };
  return forEachLevel(write);
}

function forEachLevel<Method>(write: (level: keyof AdapterLogger) => Method): Record<keyof AdapterLogger, Method> {
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/**
 * Calls a handler of the user's. What it throws or rejects with is logged as `event_delivery_failed` and ignored.
 * @param call - May return a promise, which is not awaited.
 */
export function deliver(log: Log, to: { readonly handler: string; readonly type: unknown }, call: () => unknown): void {
  const onFailure = (error: unknown): void => log.error('event_delivery_failed', { ...to, error: errorText(error) });
  try {
    const done = call();
    if (done instanceof Promise) done.catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** The fields of a record about an error. */
export function errorFields(error: unknown): { readonly error: string; readonly errorType: string } {
  return { error: errorText(error), errorType: error instanceof Error ? error.name : typeof error };
}

/** The part of a pino logger that the adapter calls. */
export interface PinoLike {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Lets the adapter log to a pino logger: `event` and `context` become fields of the record.
 *
 * @example
 * const adapter = new ClaudeAgentAdapter({ logger: toAdapterLogger(pino()) });
 */
export function toAdapterLogger(pino: PinoLike): AdapterLogger {
  return forEachLevel(
    (level) =>
      (message, { event, context }) =>
        pino[level]({ event, context }, message),
  );
}
