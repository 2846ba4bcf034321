/** One line for each job: drawn again in a terminal, written when it changes everywhere else. */
import pc from 'picocolors';

const PAINT = { completed: pc.green, failed: pc.red, active: pc.cyan, delayed: pc.yellow };

export class JobLines {
  #out;
  #lines = [];
  #isDrawn = false;

  constructor(out = process.stdout) {
    this.#out = out;
  }

  /** @param jobs - `{ label, state, worker, text }`, always the same jobs. */
  show(jobs) {
    const width = this.#out.columns ?? 100;
    const lines = jobs.map(({ label, state, worker = '', text = '' }) => {
      const plain = `${label.padEnd(16)} ${state.padEnd(10)} ${worker.padEnd(9)} ${text}`.trimEnd();
      const cut = plain.length > width ? `${plain.slice(0, width - 1)}…` : plain;
      const paint = PAINT[state] ?? pc.dim;
      return cut.slice(0, 17) + paint(cut.slice(17, 28)) + cut.slice(28);
    });
    if (this.#out.isTTY) this.#draw(lines);
    else for (const [index, line] of lines.entries()) if (line !== this.#lines[index]) this.#out.write(`${line}\n`);
    this.#lines = lines;
  }

  /** Something that happened, above the jobs. */
  say(text) {
    if (this.#isDrawn) this.#out.write(`\u001b[${this.#lines.length}A\u001b[J`);
    this.#out.write(`${pc.bold(text)}\n`);
    this.#isDrawn = false;
    if (this.#out.isTTY) this.#draw(this.#lines);
  }

  #draw(lines) {
    if (this.#isDrawn) this.#out.write(`\u001b[${lines.length}A`);
    for (const line of lines) this.#out.write(`\u001b[2K${line}\n`);
    this.#isDrawn = lines.length > 0;
  }
}
