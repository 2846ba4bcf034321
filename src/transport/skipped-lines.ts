import type { DiagnosticCode, DiagnosticListener } from '../diagnostics.js';

/** How much of a line a diagnostic shows, in UTF-16 units. */
export const EXCERPT_UNITS = 100;

/** So many lines are reported one by one. */
const SINGLE_REPORTS = 100;

/**
 * Reports lines that were skipped: the first hundred one by one, what follows by its number each time the
 * total has doubled, and the rest at the end. A flood of garbage then costs a few diagnostics, and every line is counted in one.
 */
export class SkippedLines {
  readonly #code: DiagnosticCode;
  readonly #what: string;
  readonly #onDiagnostic: DiagnosticListener;
  #total = 0;
  #nextReport = 2 * SINGLE_REPORTS;
  #lines = 0;
  #bytes = 0;
  #excerpt = '';

  /** @param what - Ends the sentence "a line of output that is ...". */
  constructor(code: DiagnosticCode, what: string, onDiagnostic: DiagnosticListener) {
    this.#code = code;
    this.#what = what;
    this.#onDiagnostic = onDiagnostic;
  }

  add(text: string, bytes: number): void {
    this.#total += 1;
    if (this.#total <= SINGLE_REPORTS) {
      this.#onDiagnostic({
        code: this.#code,
        message: `Skipped a line of output that is ${this.#what}`,
        details: { bytes, excerpt: text.slice(0, EXCERPT_UNITS) },
      });
      return;
    }
    // Of the first line that is counted: a slice of each would cost as much as a report.
    if (this.#lines === 0) this.#excerpt = text.slice(0, EXCERPT_UNITS);
    this.#lines += 1;
    this.#bytes += bytes;
    if (this.#total < this.#nextReport) return;
    this.#nextReport *= 2;
    this.flush();
  }

  /** Reports what was counted and not yet reported. */
  flush(): void {
    if (this.#lines === 0) return;
    const lines = this.#lines;
    const bytes = this.#bytes;
    this.#lines = 0;
    this.#bytes = 0;
    this.#onDiagnostic({
      code: this.#code,
      message: `Skipped ${lines} more lines of output, each of them ${this.#what}`,
      details: { lines, bytes, excerpt: this.#excerpt },
    });
  }
}
