/** How long nothing may come from the pipes after the exit. A child that inherited them may keep them open for ever. */
export const DRAIN_AFTER_EXIT_MS = 500;

/**
 * The same while messages are unanswered after exit code 0: as long as the CLI waits for the API. Long tools tell of
 * themselves every 30 s.
 */
export const HANDED_OVER_QUIET_MS = 600_000;

export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Knows when a process has ended for good: it has exited and its output is read. Time while reading is paused does not
 * count.
 */
export class ProcessEnd {
  readonly #onComplete: () => void;
  readonly #openPipes = new Set<'stdout' | 'stderr'>(['stdout']);
  #status: ExitStatus | undefined;
  #isPaused = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #quietMs = DRAIN_AFTER_EXIT_MS;

  /** @param onComplete - Called once, unless {@link stop} was. */
  constructor(onComplete: () => void) {
    this.#onComplete = onComplete;
  }

  /** `undefined` until the exit. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  get isStdoutOpen(): boolean {
    return this.#openPipes.has('stdout');
  }

  waitForStderr(): void {
    this.#openPipes.add('stderr');
  }

  pipeEnded(pipe: 'stdout' | 'stderr'): void {
    this.#openPipes.delete(pipe);
    this.#check();
    if (pipe === 'stdout') this.hurry();
  }

  /** @param quietMs - How long nothing may come from then on. */
  exited(status: ExitStatus, quietMs = DRAIN_AFTER_EXIT_MS): void {
    this.#status = status;
    this.#quietMs = quietMs;
    this.#check();
    if (!this.#isPaused) this.#startTimer();
  }

  /** Something came from a pipe. */
  heard(): void {
    this.#timer?.refresh();
  }

  /** From now on nothing may come for the usual time only. */
  hurry(): void {
    if (this.#quietMs === DRAIN_AFTER_EXIT_MS) return;
    this.#quietMs = DRAIN_AFTER_EXIT_MS;
    if (this.#status !== undefined && !this.#isPaused) this.#startTimer();
  }

  pause(): void {
    this.#isPaused = true;
    this.#clear();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#status !== undefined) this.#startTimer();
  }

  stop(): void {
    this.#isStopped = true;
    this.#clear();
  }

  /** A timer that was cleared must not be refreshed: that would start it again. */
  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #startTimer(): void {
    this.#clear();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      // If the host was busy, a read may be due at the same time. It goes first.
      setImmediate(() => {
        if (!this.#isPaused) this.#complete();
      });
    }, this.#quietMs).unref();
  }

  #check(): void {
    if (this.#status !== undefined && this.#openPipes.size === 0) this.#complete();
  }

  #complete(): void {
    if (this.#isStopped) return;
    this.stop();
    this.#onComplete();
  }
}
