import { ClaudeSDKError } from 'claudewire';

/** What went wrong. Stable within a major version. */
export type StoreErrorCode =
  /** The server cannot be reached, or does not take requests now. The call was repeated until its time was over. */
  | 'unavailable'
  /** No answer within `timeoutMs`. What was sent may still be done. */
  | 'timeout'
  /** Other writers were faster, again and again, until the time was over. */
  | 'conflict'
  /** No room left: memory, disk or quota. */
  | 'full'
  /** What is stored is not what a store writes. */
  | 'damaged'
  /** The server refused the user, or what it asked for. */
  | 'denied'
  /** Tables, bucket or the package `claudewire-server` are missing. */
  | 'not_ready'
  /** An argument or option cannot be used. */
  | 'invalid'
  /** Everything else that the server said. */
  | 'failed';

export interface StoreErrorOptions {
  readonly cause?: unknown;
  /** What to try next, as one sentence. */
  readonly hint?: string;
  /** What it is about, such as the session and the number of the entry. */
  readonly key?: string;
}

/** Every error of these stores, besides the `HostError`s that the contracts of `claudewire-server` name. */
export class StoreError extends ClaudeSDKError {
  override name = 'StoreError';
  declare readonly code: StoreErrorCode;
  readonly key: string | undefined;

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(message, code === 'timeout' ? 'session_store_timeout' : 'session_store_failed', { ...options, code });
    this.key = options.key;
  }
}

export function isStoreError(value: unknown, ...codes: readonly StoreErrorCode[]): value is StoreError {
  return value instanceof StoreError && (codes.length === 0 || codes.includes(value.code));
}
