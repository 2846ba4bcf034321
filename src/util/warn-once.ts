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
 * Emits a process warning once per code and message, so that a server that runs the same configuration for every
 * request does not repeat it.
 */
export function warnOnce({ message, code, type }: Warning): void {
  const key = `${code}\n${message}`;
  if (heard.has(key) || heard.size >= MAX_HEARD) return;
  heard.add(key);
  process.emitWarning(message, type === undefined ? { code } : { type, code });
}
