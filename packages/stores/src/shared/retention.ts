import { StoreError } from '../errors.js';
import { type Known, requireOption, wholeNumber } from './options.js';

/** How long data is kept. Nothing is deleted by itself: your application calls `deleteExpired()`, on a schedule. */
export interface RetentionOptions {
  /** Milliseconds since the last append. @defaultValue none: `deleteExpired()` is refused */
  readonly retentionMs?: number;
  /** What time it is, in epoch milliseconds. @defaultValue the clock of the server; in S3, that of this host */
  readonly now?: () => number | Promise<number>;
}

export const RETENTION_OPTIONS: Known<RetentionOptions> = { retentionMs: true, now: true };

/** The date before which everything has expired. */
export class Retention {
  readonly #retentionMs: number | undefined;
  readonly #now: () => number | Promise<number>;

  /** @throws StoreError `invalid`. */
  constructor({ retentionMs, now }: RetentionOptions, serverNow: () => number | Promise<number>) {
    if (retentionMs !== undefined) wholeNumber(retentionMs, 'retentionMs', retentionMs);
    requireOption(now === undefined || typeof now === 'function', 'now', 'a function', now);
    this.#retentionMs = retentionMs;
    this.#now = now ?? serverNow;
  }

  /** @throws StoreError `invalid`: there is no `retentionMs`, or `now()` gave no time. */
  async date(): Promise<Date> {
    if (this.#retentionMs === undefined) {
      throw new StoreError('invalid', 'Option `retentionMs` is not set, so nothing expires.', {
        hint: 'Set it, or call `deleteOlderThan()` with a date.',
      });
    }
    const now = await this.#now();
    const date = new Date(now - this.#retentionMs);
    requireOption(
      typeof now === 'number' && Number.isFinite(date.getTime()),
      'now',
      'a function that gives a time',
      now,
    );
    return date;
  }
}
