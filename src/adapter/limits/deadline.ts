import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { checkFields, havingMethods } from '../options/read-fields.js';
import { type Clock, systemClock } from './clock.js';

const MIN_AHEAD_MS = 1_000;

export interface DeadlineOptions {
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
}

/** The time by which a run must end. */
export class Deadline {
  readonly #expiresAtMs: number;
  readonly #clock: Clock;

  /** @throws {@link AdapterConfigError} `expiresAt` is not a date, or less than one second ahead. */
  constructor(expiresAt: Date, options: DeadlineOptions = {}) {
    this.#clock = clockOf(options);
    const ms = expiresAt instanceof Date ? expiresAt.getTime() : Number.NaN;
    if (Number.isNaN(ms)) throw invalid(`must be a valid Date, got ${describeDate(expiresAt)}`);
    const ahead = ms - this.#clock.now();
    if (ahead <= 0) throw invalid(`must be in the future, but ${new Date(ms).toISOString()} is over`);
    if (ahead < MIN_AHEAD_MS) throw invalid(`must be at least one second ahead, got ${ahead} ms`);
    this.#expiresAtMs = ms;
  }

  /** @param ms - From now; at least 1000. */
  static fromNow(ms: number, options: DeadlineOptions = {}): Deadline {
    if (typeof ms !== 'number' || !Number.isFinite(ms)) {
      throw new AdapterConfigError(
        `\`ms\` of Deadline.fromNow() must be a number of milliseconds, got ${describeValue(ms)}`,
        ['ms'],
      );
    }
    return new Deadline(new Date(clockOf(options).now() + ms), options);
  }

  get expiresAt(): Date {
    return new Date(this.#expiresAtMs);
  }

  /** Milliseconds left; negative when it is over. */
  remainingMs(now: number = this.#clock.now()): number {
    return this.#expiresAtMs - now;
  }

  /** True from that moment on. */
  isExpired(): boolean {
    return this.remainingMs() <= 0;
  }

  toJSON(): string {
    return this.expiresAt.toISOString();
  }
}

function clockOf(options: DeadlineOptions): Clock {
  checkFields(options, 'options', { clock: havingMethods('a Clock', 'now') });
  return options.clock ?? systemClock;
}

function invalid(problem: string): AdapterConfigError {
  return new AdapterConfigError(`\`expiresAt\` of a Deadline ${problem}`, ['expiresAt'], {
    hint: 'Give a moment at least one second ahead, or use Deadline.fromNow(ms).',
  });
}

function describeDate(value: unknown): string {
  return value instanceof Date ? 'an invalid Date' : describeValue(value);
}
