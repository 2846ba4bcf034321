import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { failedReason, type JobFailureCode } from '../errors.js';
import { settled } from '../redis/time-limit.js';
import { cut } from './job-result.js';

/** What the job that is processed can become, as an error to throw. BullMQ looks at its class. */
export class Moves {
  readonly #job: Job;
  readonly #token: string;
  readonly #redisMs: number;
  readonly #onError: (error: unknown) => void;

  constructor(job: Job, token: string, redisMs: number, onError: (error: unknown) => void) {
    this.#job = job;
    this.#token = token;
    this.#redisMs = redisMs;
    this.#onError = onError;
  }

  /**
   * Delayed, without counting as an attempt of BullMQ. `RateLimitError` would stop the whole queue, and a plain error
   * would need `attempts` and a backoff that know what the outcome said.
   */
  async toDelayed(until: number): Promise<Error> {
    await this.#move('moveToDelayed', () => this.#job.moveToDelayed(until, this.#token));
    return new DelayedError();
  }

  /** At the head of the queue, for another worker, without counting as an attempt. */
  async toWait(): Promise<Error> {
    await this.#move('moveToWait', () => this.#job.moveToWait(this.#token));
    return new WaitingError();
  }

  /**
   * Where it is, without a lock that is renewed: BullMQ finds it stalled and gives it to another worker. For failures of
   * Redis, with which nothing else can be done.
   */
  abandoned(): Error {
    return new WaitingError();
  }

  /** Failed for good. @param message - Without credentials. */
  failed(code: JobFailureCode, message: string): Error {
    const error = new UnrecoverableError(failedReason(code, cut(message, 2_000)));
    // BullMQ stores the stack, which has paths of this machine.
    error.stack = error.message;
    return error;
  }

  /** If it fails, the job is found stalled, as after a crash. */
  async #move(what: string, move: () => Promise<unknown>): Promise<void> {
    await settled(this.#redisMs, 'redis_failed', what, move).catch(this.#onError);
  }
}

/** What {@link Moves} made, and BullMQ should have as it is. */
export function isMove(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof WaitingError || error instanceof UnrecoverableError;
}
