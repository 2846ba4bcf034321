import type { PlayerSignal, WaitTarget } from '../scenario/scenario-types.js';
import { type Clock, startLimit } from './play-io.js';
import { PlayFailure } from './verdict.js';

export type ProcessEvent = 'EOF' | 'initialize' | PlayerSignal;

/** Remembers what happened to the process, and lets a step wait for it: also when it happened before. */
export class ProcessEvents {
  readonly #clock: Clock;
  readonly #seen = new Set<ProcessEvent>();
  readonly #ignored = new Set<ProcessEvent>();
  #waiting:
    | { readonly target: WaitTarget | ProcessEvent; readonly resolve: () => void; readonly timer: unknown }
    | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns true when a step was waiting for it, or it is ignored: it must not end the player. */
  happen(what: ProcessEvent): boolean {
    this.#seen.add(what);
    const waiting = this.#waiting;
    if (waiting?.target !== what) return this.#ignored.has(what);
    this.stop();
    waiting.resolve();
    return true;
  }

  ignore(what: readonly ProcessEvent[]): void {
    for (const each of what) this.#ignored.add(each);
  }

  isIgnored(what: ProcessEvent): boolean {
    return this.#ignored.has(what);
  }

  /** @param timeoutMs - `0`: no limit. @throws PlayFailure out of time, in the words of `problem`. */
  wait(target: WaitTarget | ProcessEvent, timeoutMs: number, problem?: string): Promise<void> {
    if (target !== 'forever' && this.#seen.has(target)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = startLimit(this.#clock, timeoutMs, () => {
        this.#waiting = undefined;
        reject(new PlayFailure('deadline', problem ?? `${target} did not come within ${timeoutMs} ms`));
      });
      this.#waiting = { target, resolve, timer };
    });
  }

  /** Forgets the wait; its promise stays pending. */
  stop(): void {
    this.#clock.clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
  }
}
