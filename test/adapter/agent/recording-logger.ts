import type { AdapterLogger, LogRecord } from '../../../src/adapter/logging/log.js';

export interface RecordedLog extends LogRecord {
  readonly level: keyof AdapterLogger;
  readonly message: string;
}

/** A logger that keeps what it gets. */
export function recordingLogger(): AdapterLogger & { readonly records: readonly RecordedLog[] } {
  const records: RecordedLog[] = [];
  const write =
    (level: keyof AdapterLogger) =>
    (message: string, record: LogRecord): void => {
      records.push({ level, message, ...record });
    };
  return { records, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
