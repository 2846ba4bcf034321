import type { Limits } from './launch/launch-plan.js';

/** How many frame types an `IdleTimeoutError` names. */
const REMEMBERED_FRAMES = 8;

/** What the timers ask and tell their session. */
interface TimedSession {
  /** True while a turn runs. */
  isTurnOpen(): boolean;
  /** True while the CLI owes a result: a turn runs, or a message is unanswered. */
  owesAnswer(): boolean;
  /** True while the CLI waits for us: a question of it is open, or reading is paused. */
  isHeld(): boolean;
  /** True while background tasks of the CLI work towards an end. */
  hasWorkingTasks(): boolean;
  /** How much longer than `exitGraceMs` a silent CLI may stay for tasks that may run for ever. Milliseconds. */
  extraGraceMs(): number;
  onIdle(lastFrames: readonly string[]): void;
  /** @param silentMs - How long the CLI has been silent. */
  onExitOverdue(silentMs: number): void;
}

/** Two clocks of a session: silence during a turn, and the exit after the input ended. The third is `RunDeadline`. */
export class SessionTimers {
  readonly #limits: Limits;
  readonly #session: TimedSession;
  readonly #watchesIdle: boolean;
  readonly #lastFrames: string[] = [];
  #lastSignAt = 0;
  /** The CLI waited for us at some time since the last frame. Nothing tells when that ended. */
  #wasHeld = false;
  #idle: NodeJS.Timeout | undefined;
  #exit: NodeJS.Timeout | undefined;
  #hasFrameSinceExitCheck = false;
  /** Spans of `exitGraceMs` without a sign of work. */
  #silentGraces = 0;

  constructor(limits: Limits, session: TimedSession) {
    this.#limits = limits;
    this.#session = session;
    this.#watchesIdle = Number.isFinite(limits.idleTimeoutMs);
  }

  start(): void {
    this.#lastSignAt = performance.now();
    if (this.#watchesIdle) this.#armIdle(this.#limits.idleTimeoutMs);
  }

  /** Any frame arrived. On the hot path: one comparison when no idle limit is set. */
  onFrame(type: string): void {
    this.#hasFrameSinceExitCheck = true;
    if (!this.#watchesIdle) return;
    this.#lastSignAt = performance.now();
    this.#wasHeld = this.#session.isHeld();
    if (this.#lastFrames.push(type) > REMEMBERED_FRAMES) this.#lastFrames.shift();
  }

  /** The CLI has to wait for us from here on. That time is not its silence. */
  onHeld(): void {
    this.#wasHeld = true;
  }

  /** A message was written: the clock of the turn starts here, not at the last frame of the turn before. */
  onUserMessage(): void {
    if (this.#watchesIdle) this.#lastSignAt = performance.now();
  }

  /** stdin has ended: the CLI should leave by itself. */
  onInputEnd(): void {
    if (Number.isFinite(this.#limits.exitGraceMs)) this.#armExit();
  }

  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#exit);
  }

  #armIdle(inMs: number): void {
    this.#idle = setTimeout(() => {
      const isHeld = this.#session.isHeld();
      if (isHeld || this.#wasHeld || !this.#session.owesAnswer()) this.#lastSignAt = performance.now();
      this.#wasHeld = isHeld;
      const leftMs = this.#lastSignAt + this.#limits.idleTimeoutMs - performance.now();
      if (leftMs > 0) this.#armIdle(leftMs);
      else this.#session.onIdle([...this.#lastFrames]);
    }, inMs).unref();
  }

  #armExit(): void {
    clearTimeout(this.#exit);
    this.#hasFrameSinceExitCheck = false;
    const { exitGraceMs } = this.#limits;
    this.#exit = setTimeout(() => {
      this.#silentGraces = this.#hasFrameSinceExitCheck || this.#isAtWork() ? 0 : this.#silentGraces + 1;
      const silentMs = this.#silentGraces * exitGraceMs;
      if (silentMs >= exitGraceMs + this.#session.extraGraceMs()) this.#session.onExitOverdue(silentMs);
      else this.#armExit();
    }, exitGraceMs).unref();
  }

  /** What the CLI rightly finishes after its input ended (`pipelined-messages-eof`, `bash-background-eof`). */
  #isAtWork(): boolean {
    return this.#session.isTurnOpen() || this.#session.hasWorkingTasks() || this.#session.isHeld();
  }
}
