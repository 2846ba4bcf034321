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

/** A logger bound to one label. Never throws, whatever the logger does. */
export interface Log {
  debug(event: string, context: Readonly<Record<string, unknown>>): void;
  info(event: string, context: Readonly<Record<string, unknown>>): void;
  warn(event: string, context: Readonly<Record<string, unknown>>): void;
  error(event: string, context: Readonly<Record<string, unknown>>): void;
}
