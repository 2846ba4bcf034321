import type { AdapterLogger, LogRecord } from './log.js';

/** What is used of a pino logger. */
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
  const write =
    (level: keyof PinoLike) =>
    (message: string, { event, context }: LogRecord): void =>
      pino[level]({ event, context }, message);
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
