import type { HostLimits } from './limits.js';

export interface TurnTimersParams {
  readonly limits: Required<HostLimits>;
  /** A turn has taken `turnMs`. */
  readonly onDeadline: () => void;
  /** A process has waited for `idleMs`. */
  readonly onIdle: () => void;
}

/** What ends by itself: a turn, an interrupt that is not obeyed, a process that waits. One turn at a time. */
export class TurnTimers {
  readonly #params: TurnTimersParams;
  /** Of the turn, or of the process that waits for the next one. */
  #timer: NodeJS.Timeout | undefined;
  #interrupt: NodeJS.Timeout | undefined;

  constructor(params: TurnTimersParams) {
    this.#params = params;
  }

  turnBegan(): void {
    this.#timer = setTimeout(this.#params.onDeadline, this.#params.limits.turnMs);
  }

  /** @returns false when it was interrupted before: an interrupt that is repeated must not put off the end. */
  interrupted(onDisobeyed: () => void): boolean {
    if (this.#interrupt !== undefined) return false;
    this.#interrupt = setTimeout(onDisobeyed, this.#params.limits.interruptMs);
    return true;
  }

  get isInterrupted(): boolean {
    return this.#interrupt !== undefined;
  }

  /** No turn is open. */
  turnEnded(): void {
    this.pause();
    clearTimeout(this.#interrupt);
    this.#interrupt = undefined;
  }

  /** A process waits. @param isKept - Something runs in it. */
  waits(isKept: boolean): void {
    this.pause();
    const { limits, onIdle } = this.#params;
    this.#timer = setTimeout(onIdle, isKept ? limits.backgroundMs : limits.idleMs);
  }

  /** Neither a turn nor a wait is measured now. */
  pause(): void {
    clearTimeout(this.#timer);
  }
}
