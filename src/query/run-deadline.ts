import { RunDeadlineError } from '../errors.js';

/** After the interrupt at the deadline, the turn has this long to end by itself. */
export const DEADLINE_GRACE_MS = 5_000;

/** What the deadline asks and tells its session. */
interface DeadlineSession {
  /** True while an interrupt has something to stop and a way to get there. */
  canInterrupt(): boolean;
  interrupt(): void;
  stop(error: RunDeadlineError): void;
}

/** The `deadlineMs` option: an interrupt, a grace for the interrupted result, then the end. */
export class RunDeadline {
  readonly #deadlineMs: number;
  readonly #session: DeadlineSession;
  #timer: NodeJS.Timeout | undefined;
  #passed: RunDeadlineError | undefined;

  /** @param deadlineMs - Milliseconds from the start. `Infinity`: no limit. */
  constructor(deadlineMs: number, session: DeadlineSession) {
    this.#deadlineMs = deadlineMs;
    this.#session = session;
  }

  /** The error, once the deadline has passed: whatever ends the run then is a consequence of it. */
  get passed(): RunDeadlineError | undefined {
    return this.#passed;
  }

  start(): void {
    if (!Number.isFinite(this.#deadlineMs)) return;
    this.#timer = setTimeout(() => this.#onDeadline(), this.#deadlineMs).unref();
  }

  /** The turn is over: after the deadline, nothing more is waited for. */
  onResult(): void {
    if (this.#passed !== undefined) this.#session.stop(this.#passed);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #onDeadline(): void {
    const error = new RunDeadlineError(this.#deadlineMs);
    this.#passed = error;
    if (!this.#session.canInterrupt()) {
      this.#session.stop(error);
      return;
    }
    this.#timer = setTimeout(() => this.#session.stop(error), DEADLINE_GRACE_MS).unref();
    this.#session.interrupt();
  }
}
