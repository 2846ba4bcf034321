/** A process warning. */
export interface Warning {
  readonly message: string;
  readonly code: string;
  /** @defaultValue 'Warning' */
  readonly type?: 'Warning' | 'DeprecationWarning';
}

/** A program that makes a new message for every request must not fill the memory. */
const MAX_HEARD = 1_000;
const heard = new Set<string>();

/**
 * Emits a process warning, the first time in this process: a server that runs the same configuration for every request
 * is told once. Two warnings are the same when code and message are, so another tool or another cause is still told.
 */
export function warnOnce({ message, code, type }: Warning): void {
  const key = `${code}\n${message}`;
  if (heard.has(key) || heard.size >= MAX_HEARD) return;
  heard.add(key);
  process.emitWarning(message, type === undefined ? { code } : { type, code });
}
