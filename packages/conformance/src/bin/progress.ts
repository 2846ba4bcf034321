import type { ScenarioResult } from '../runner/results.js';

const QUIET_MS = 15_000;
const STEPS = 10;
/** Moves to the begin of the line and clears it. */
const CLEAR = '\r\u001b[2K';

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Says how far a run is: one line that changes on a terminal, else a line each tenth or each 15 s. */
export class Progress {
  readonly #out: ProgressStream;
  readonly #name: string;
  readonly #all: number;
  readonly #now: () => number;
  readonly #began: number;
  readonly #counts = { passed: 0, failed: 0, unsupported: 0, driver_error: 0 };
  #done = 0;
  #saidAt: number;
  #saidTenths = 0;
  #isShown = false;

  constructor(out: ProgressStream, name: string, all: number, now: () => number = () => performance.now()) {
    this.#out = out;
    this.#name = name;
    this.#all = all;
    this.#now = now;
    this.#began = now();
    this.#saidAt = this.#began;
  }

  add({ status }: ScenarioResult): void {
    this.#done += 1;
    this.#counts[status] += 1;
    if (this.#out.isTTY === true) this.#show();
    else this.#say();
  }

  /** Takes the line away: what follows is the report. */
  end(): void {
    if (this.#isShown) this.#out.write(CLEAR);
    this.#isShown = false;
  }

  #show(): void {
    const text = this.#text();
    const width = this.#out.columns ?? 80;
    this.#out.write(`${CLEAR}${text.length < width ? text : text.slice(0, width - 1)}`);
    this.#isShown = true;
  }

  #say(): void {
    const tenths = Math.floor((this.#done / this.#all) * STEPS);
    // The end is said by the report.
    if (this.#done === this.#all) return;
    if (tenths === this.#saidTenths && this.#now() - this.#saidAt < QUIET_MS) return;
    this.#saidTenths = tenths;
    this.#saidAt = this.#now();
    this.#out.write(`${this.#text()}\n`);
  }

  #text(): string {
    const { passed, failed, unsupported, driver_error: faults } = this.#counts;
    const seconds = Math.round((this.#now() - this.#began) / 1_000);
    const faulty = faults === 0 ? '' : `, ${faults} driver errors`;
    return `${this.#name}: ${this.#done}/${this.#all}, ${passed} passed, ${failed} failed, ${unsupported} unsupported${faulty}, ${seconds} s`;
  }
}
