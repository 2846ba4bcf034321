import type { JsonObject } from '../util/json.js';
import { toLimit } from './default-timeouts.js';

/** Command hooks that run before `initialize` is answered, as long as they like. */
const START_HOOKS: ReadonlySet<unknown> = new Set(['SessionStart', 'Setup']);

/**
 * The time limit of `initialize`. It stands still while the CLI reports a SessionStart or Setup
 * hook running, and falls away with `system/init`, which shows that the CLI is up (`hook-events-frames`).
 */
export class InitializeClock {
  readonly #onTimeout: () => void;
  readonly #runningHooks = new Set<unknown>();
  #remainingMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param timeoutMs - Milliseconds, `0` or `Infinity` for no limit. */
  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#remainingMs = toLimit(timeoutMs);
    this.#onTimeout = onTimeout;
  }

  start(): void {
    if (this.#isOver || this.#timer !== undefined || this.#runningHooks.size > 0) return;
    if (this.#remainingMs === Number.POSITIVE_INFINITY) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => {
      this.stop();
      this.#onTimeout();
    }, this.#remainingMs);
    this.#timer.unref();
  }

  onHookStarted(frame: JsonObject): void {
    if (this.#isOver || !START_HOOKS.has(frame['hook_event'])) return;
    this.#runningHooks.add(frame['hook_id']);
    this.#pause();
  }

  onHookResponse(frame: JsonObject): void {
    if (this.#runningHooks.delete(frame['hook_id'])) this.start();
  }

  /** Answered, failed or disarmed. Idempotent. */
  stop(): void {
    this.#isOver = true;
    this.#runningHooks.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs = Math.max(0, this.#remainingMs - (performance.now() - this.#startedAt));
  }
}
