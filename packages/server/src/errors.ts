/** What a call of the host can fail with. Stable within a major version. */
export type HostErrorCode =
  /** No such conversation or question, or it is another tenant's. */
  | 'not_found'
  /** A turn is open, here or on another host; another host has taken the conversation over; an approval was decided already. */
  | 'conflict'
  /** The token is not one of this approval. */
  | 'forbidden'
  /** A tenant has as much as `limits` allow. Waiting does not help. */
  | 'limit_reached'
  /** The time to decide is over. */
  | 'expired'
  /** Every process is at work and the queue is full, or the wait in it was too long. */
  | 'busy'
  /** `drain()` was called: send to another host. */
  | 'draining'
  /** An argument cannot be used. */
  | 'invalid'
  /** Claude Code did not start, or there are no options for it. */
  | 'start_failed'
  /** A store or the event log failed, or took too long. */
  | 'store_failed';

export interface HostErrorOptions {
  readonly cause?: unknown;
  /** When to try again, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What a client over HTTP is told, where the message has advice for the operator. @defaultValue the message */
  readonly forClients?: string;
}

/** Every error of the host. Branch on `code`. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;
  readonly retryAfterMs: number | undefined;
  /** What a client over HTTP is told: only what a client can do. */
  readonly forClients: string;

  constructor(code: HostErrorCode, message: string, options: HostErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.forClients = options.forClients ?? message;
  }
}

/** The same text for an unknown id and for another tenant's, so that nobody learns which ids exist. */
export function notFound(): HostError {
  return new HostError('not_found', 'There is no such conversation. Create one, or list those that there are.');
}

/** @param count - How many there are. */
export function tooManyConversations(count: number, most: number): HostError {
  const text = `This tenant has ${count} conversations, and \`limits.conversationsPerTenant\` is ${most}.`;
  return new HostError('limit_reached', `${text} Delete conversations, then create another one.`);
}

export function draining(): HostError {
  return new HostError('draining', 'This host is shutting down. Send the message to another one.', {
    retryAfterMs: 1_000,
  });
}

/** Passes errors of the host on, and makes any other one a failure of the store. */
export function storeFailure(what: string, cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HostError('store_failed', `${what} failed: ${reason}`, { cause });
}
