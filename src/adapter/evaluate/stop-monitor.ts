import { createDeferred } from '../../util/deferred.js';
import { onAbort } from '../../util/on-abort.js';
import type { BudgetDimension } from '../limits/budget.js';
import type { Clock } from '../limits/clock.js';
import type { Deadline } from '../limits/deadline.js';

/** Why a run is stopped. */
export type StopReason =
  | { readonly kind: 'aborted'; readonly cause: unknown }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'budget'; readonly dimension: BudgetDimension }
  | { readonly kind: 'disposed' }
  | { readonly kind: 'closed' };

/** Thrown by {@link StopMonitor.race}; never leaves the adapter. */
export class RunStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`stopped: ${reason.kind}`);
    this.reason = reason;
  }
}

interface StopMonitorOptions {
  readonly signal: AbortSignal | undefined;
  readonly deadline: Deadline | undefined;
  /** Milliseconds after the deadline. */
  readonly graceMs: number;
  readonly clock: Clock;
}

/** Watches what may stop one run: its caller's signal, its deadline, its adapter. */
export class StopMonitor {
  readonly #stopped = createDeferred<StopReason>();
  readonly #controller = new AbortController();
  readonly #releases: (() => void)[] = [];
  #reason: StopReason | undefined;

  constructor({ signal, deadline, graceMs, clock }: StopMonitorOptions) {
    if (signal !== undefined) {
      const abort = (): void => this.stop({ kind: 'aborted', cause: signal.reason });
      this.#releases.push(onAbort(signal, abort));
      if (signal.aborted) abort();
    }
    if (deadline !== undefined && Number.isFinite(graceMs)) {
      const ms = deadline.remainingMs() + graceMs;
      this.#releases.push(clock.setTimer(ms, () => this.stop({ kind: 'deadline' })));
    }
  }

  /** Resolves when the run has to stop. */
  get stopped(): Promise<StopReason> {
    return this.#stopped.promise;
  }

  /** Fires when the run is stopped or has ended: for whoever works for it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** `undefined` until it is stopped. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined || this.signal.aborted) return;
    this.#reason = reason;
    this.#stopped.resolve(reason);
    this.#controller.abort(reason.kind === 'aborted' ? reason.cause : new RunStopped(reason));
  }

  /** @throws {@link RunStopped} when the run is stopped first; `work` is then no longer waited for. */
  async race<T>(work: Promise<T>): Promise<T> {
    const stopped = this.stopped.then((reason) => Promise.reject(new RunStopped(reason)));
    return Promise.race([work, stopped]);
  }

  /** @throws {@link RunStopped} when the run was stopped. */
  check(): void {
    if (this.#reason !== undefined) throw new RunStopped(this.#reason);
  }

  /** The run is over: timers and listeners are taken back. Safe to call twice. */
  end(): void {
    for (const release of this.#releases.splice(0)) release();
    if (!this.signal.aborted) this.#controller.abort(new Error('The evaluation has ended'));
  }
}
