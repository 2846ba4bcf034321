import type { JsonObject } from '../util/json.js';
import { toTimerLimit } from '../util/timer-limit.js';
import { WORK_TIMEOUT_MS } from './default-timeouts.js';

/** Command hooks that run before `initialize` is answered, as long as they like. */
const START_HOOKS: ReadonlySet<unknown> = new Set(['SessionStart', 'Setup']);

/** How long the clock may stand still in all: a hook whose end is never reported must not hold it for ever. Milliseconds. */
export const MAX_STANDSTILL_MS = WORK_TIMEOUT_MS;

/**
 * The time limit of `initialize`. It stands still while the CLI reports a SessionStart or Setup
 * hook running, for {@link MAX_STANDSTILL_MS} at most. `system/init` shows that the CLI is up
 * (`hook-events-frames`): from there on the answer has as long as a request that waits for work.
 */
export class InitializeClock {
  readonly #onTimeout: (limitMs: number) => void;
  readonly #countsHooks: boolean;
  readonly #runningHooks = new Set<unknown>();
  #limitMs: number;
  #remainingMs: number;
  #standstillMs = MAX_STANDSTILL_MS;
  #runningSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #isStandingStill = false;
  #isUp = false;
  #isOver = false;

  /**
   * @param timeoutMs - Milliseconds, `0` or `Infinity` for no limit.
   * @param onTimeout - Called once, with the limit that ran out.
   * @param countsHooks - The clock runs on while hooks run.
   */
  constructor(timeoutMs: number, onTimeout: (limitMs: number) => void, countsHooks = false) {
    this.#limitMs = toTimerLimit(timeoutMs);
    this.#remainingMs = this.#limitMs;
    this.#onTimeout = onTimeout;
    this.#countsHooks = countsHooks;
  }

  /** SessionStart and Setup hooks that are reported running. */
  get openHooks(): number {
    return this.#runningHooks.size;
  }

  start(): void {
    this.#hasStarted = true;
    this.#run();
  }

  onHookStarted(frame: JsonObject): void {
    if (this.#isOver || this.#isUp || !START_HOOKS.has(frame.hook_event)) return;
    this.#runningHooks.add(frame.hook_id);
    this.#run();
  }

  onHookResponse(frame: JsonObject): void {
    if (this.#runningHooks.delete(frame.hook_id)) this.#run();
  }

  /** The CLI is up. Only the first time counts: each turn says so again. */
  onUp(): void {
    if (this.#isOver || this.#isUp) return;
    this.#isUp = true;
    this.#runningHooks.clear();
    this.#halt();
    this.#limitMs = Math.max(WORK_TIMEOUT_MS, this.#limitMs);
    this.#remainingMs = this.#limitMs;
    this.#run();
  }

  /** Answered, failed or disarmed. Idempotent. */
  stop(): void {
    this.#isOver = true;
    this.#runningHooks.clear();
    this.#halt();
  }

  /** Sets the timer for what is to happen next, from the time that is left. */
  #run(): void {
    this.#halt();
    if (this.#isOver || !this.#hasStarted) return;
    if (this.#remainingMs === Number.POSITIVE_INFINITY) return;
    this.#isStandingStill =
      !this.#countsHooks && this.#runningHooks.size > 0 && this.#standstillMs > 0;
    this.#runningSince = performance.now();
    this.#timer = setTimeout(
      () => this.#onTimer(),
      this.#isStandingStill ? this.#standstillMs : this.#remainingMs,
    );
    this.#timer.unref();
  }

  #halt(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const elapsedMs = performance.now() - this.#runningSince;
    if (this.#isStandingStill) this.#standstillMs = Math.max(0, this.#standstillMs - elapsedMs);
    else this.#remainingMs = Math.max(0, this.#remainingMs - elapsedMs);
  }

  #onTimer(): void {
    if (this.#isStandingStill) {
      this.#halt();
      // Exactly: a timer may fire a fraction of a millisecond early.
      this.#standstillMs = 0;
      this.#run();
    } else {
      this.#isOver = true;
      this.#halt();
      // The hooks are forgotten after it: the error names them.
      this.#onTimeout(this.#limitMs);
      this.stop();
    }
  }
}
