/**
 * How long the pipes may stay open after the exit. The output of the process is read at once. Only a grandchild that
 * inherited a pipe keeps it open longer, and its output is not ours.
 */
export const DRAIN_AFTER_EXIT_MS = 500;

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
  }

  exited(status: ExitStatus): void {
    this.#status = status;
    this.#check();
    if (!this.#isPaused) this.#startTimer();
  }

  pause(): void {
    this.#isPaused = true;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#status !== undefined) this.#startTimer();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #startTimer(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // If the host was busy, a read may be due at the same time. It goes first.
      setImmediate(() => {
        if (!this.#isPaused) this.#complete();
      });
    }, DRAIN_AFTER_EXIT_MS).unref();
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
