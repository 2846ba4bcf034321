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
  readonly #deferred: number[] = [];
  #next = 0;
  #passed = 0;
  #hangs = 0;

  constructor(scenarios: readonly ScenarioEntry[], timeoutFactor: number) {
    this.#scenarios = scenarios;
    this.#hangMs = HANG_MS * timeoutFactor;
  }

  /** Index of the next one; `undefined` when there is none now. */
  take(): number | undefined {
    for (; this.#next < this.#scenarios.length; this.#next += 1) {
      const features = this.#featuresOf(this.#next);
      if (this.#isHopeless && this.#tried.has(features)) {
        this.#deferred.push(this.#next);
        continue;
      }
      this.#tried.add(features);
      this.#next += 1;
      return this.#next - 1;
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
    return this.#next < this.#scenarios.length;
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
