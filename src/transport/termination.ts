import type { DiagnosticListener } from '../diagnostics.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import type { ExitLadder } from './transport.js';

/** How `query()` ends its process on close, `break` and abort, as in the official SDK. Also the default of a transport. */
export const DEFAULT_EXIT_LADDER: ExitLadder = { sigtermMs: 2_000, sigkillMs: 7_000 };

/** How `disconnect()` of the client ends it, as in the Python SDK. */
export const CLIENT_EXIT_LADDER: ExitLadder = { sigtermMs: 5_000, sigkillMs: 10_000 };

/** For a peer whose output cannot be read any more. It may be leaving. */
export const UNREADABLE_LADDER: ExitLadder = { sigtermMs: 2_000, sigkillMs: 7_000 };

/** For a peer whose output is unusable: there is nothing to wait for. */
export const BROKEN_STREAM_LADDER: ExitLadder = { sigtermMs: 0, sigkillMs: 5_000 };

/** How long the operating system may take to report the exit after the last step of a ladder. */
export const REAP_MS = 1_000;

type LadderSignal = 'SIGTERM' | 'SIGKILL';

export interface TerminationOptions {
  /** Sends the signal. False if the process is gone. Must not throw. */
  readonly kill: (signal: LadderSignal) => boolean;
  readonly onDiagnostic: DiagnosticListener;
  /** SIGKILL was sent and no exit was reported within {@link REAP_MS}. */
  readonly onUnkillable: () => void;
}

/**
 * Runs exit ladders for one process. Several may run at once: each step happens at the earliest time of all. SIGTERM
 * comes before SIGKILL, because only SIGTERM lets the CLI end the tools it runs. The timers do not keep the host alive
 * (the process does).
 */
export class Termination {
  readonly #options: TerminationOptions;
  readonly #steps = new Map<LadderSignal, Step>();
  readonly #sent = new Set<LadderSignal>();
  readonly #waits = new Set<Wait>();
  #isGone = false;

  constructor(options: TerminationOptions) {
    this.#options = options;
  }

  /** Resolves when the process is gone, or {@link REAP_MS} after the last step. */
  start(ladder: ExitLadder): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    this.#schedule('SIGTERM', ladder.sigtermMs);
    this.#schedule('SIGKILL', ladder.sigkillMs);
    return new Promise((resolve) => {
      const wait: Wait = { timer: undefined, resolve };
      this.#waits.add(wait);
      const delayMs = this.#msToLastStep() + REAP_MS;
      if (delayMs > MAX_TIMER_MS) return;
      wait.timer = setTimeout(() => {
        this.#waits.delete(wait);
        resolve();
        if (this.#sent.has('SIGKILL')) this.#options.onUnkillable();
      }, delayMs).unref();
    });
  }

  /** The process has exited: no more signals, no more timers. */
  processGone(): void {
    this.#isGone = true;
    for (const { timer } of this.#steps.values()) clearTimeout(timer);
    this.#steps.clear();
    for (const { timer, resolve } of this.#waits) {
      clearTimeout(timer);
      resolve();
    }
    this.#waits.clear();
  }

  #schedule(signal: LadderSignal, delayMs: number | undefined): void {
    if (delayMs === undefined || delayMs > MAX_TIMER_MS || this.#sent.has(signal)) return;
    const due = performance.now() + delayMs;
    const planned = this.#steps.get(signal);
    if (planned !== undefined && planned.due <= due) return;
    clearTimeout(planned?.timer);
    if (delayMs <= 0) {
      this.#send(signal, 0);
      return;
    }
    const timer = setTimeout(() => this.#send(signal, delayMs), delayMs).unref();
    this.#steps.set(signal, { due, timer });
  }

  #msToLastStep(): number {
    const now = performance.now();
    return Math.max(0, ...[...this.#steps.values()].map((step) => step.due - now));
  }

  #send(signal: LadderSignal, afterMs: number): void {
    this.#steps.delete(signal);
    this.#sent.add(signal);
    if (!this.#options.kill(signal)) return;
    this.#options.onDiagnostic({
      code: 'process_signalled',
      message:
        afterMs === 0
          ? `Claude Code was sent ${signal}`
          : `Claude Code had not exited ${afterMs} ms after it was asked to and was sent ${signal}`,
      details: { signal, afterMs },
    });
  }
}

interface Wait {
  /** Absent if the last step is further away than a timer can reach. Then only the exit ends the wait. */
  timer: NodeJS.Timeout | undefined;
  readonly resolve: () => void;
}

interface Step {
  readonly due: number;
  readonly timer: NodeJS.Timeout;
}
