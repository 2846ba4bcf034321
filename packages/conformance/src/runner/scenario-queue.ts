import type { ScenarioEntry } from '../data/conformance-data.js';
import { isFailure, type NotRun, type ScenarioResult } from './results.js';

/** Failures that waited until their time was up, when nothing has passed: the next of the same kind says nothing new. */
const HOPELESS_AFTER = 24;
/** As long as that is no mismatch, but a wait in vain. */
const HANG_MS = 4_000;

/**
 * Which scenario comes next. In the order of the data; once a driver has shown that it does nothing but wait, one for
 * each set of features that was not tried yet. If one passes, the others follow.
 */
export class ScenarioQueue {
  readonly #scenarios: readonly ScenarioEntry[];
  readonly #hangMs: number;
  readonly #tried = new Set<string>();
  readonly #waiting: number[];
  readonly #deferred: number[] = [];
  #passed = 0;
  #hangs = 0;

  constructor(scenarios: readonly ScenarioEntry[], timeoutFactor: number) {
    this.#scenarios = scenarios;
    this.#waiting = scenarios.map((_, index) => index);
    this.#hangMs = HANG_MS * timeoutFactor;
  }

  /**
   * Index of the next one; `undefined` when there is none now.
   *
   * @param end - of the queue. The last scenarios of the data take longest; started last, they would run on alone
   */
  take(end: 'first' | 'last' = 'first'): number | undefined {
    while (this.#waiting.length > 0) {
      const index = (end === 'first' ? this.#waiting.shift() : this.#waiting.pop()) ?? 0;
      const features = this.#featuresOf(index);
      if (!this.#isHopeless || !this.#tried.has(features)) {
        this.#tried.add(features);
        return index;
      }
      this.#deferred.push(index);
    }
    return this.#isHopeless ? undefined : this.#deferred.shift();
  }

  /** Notes what came of one. */
  note(result: ScenarioResult): void {
    if (result.status === 'passed') this.#passed += 1;
    if (isFailure(result) && result.ms >= this.#hangMs) this.#hangs += 1;
  }

  /** Scenarios that waited until their time was up. */
  get hangs(): number {
    return this.#hangs;
  }

  get hasPassed(): boolean {
    return this.#passed > 0;
  }

  get hasMore(): boolean {
    return this.#waiting.length > 0;
  }

  /** What was left out in the end. */
  get leftOut(): NotRun | undefined {
    if (this.#deferred.length === 0) return undefined;
    const why = `nothing has passed and ${this.#hangs} scenarios waited in vain; one was played for each set of features`;
    return { scenarios: this.#deferred.length, reason: why };
  }

  get #isHopeless(): boolean {
    return this.#passed === 0 && this.#hangs >= HOPELESS_AFTER;
  }

  #featuresOf(index: number): string {
    return [...(this.#scenarios[index]?.features ?? [])].sort().join(' ');
  }
}
