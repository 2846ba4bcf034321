import { deliver, type Log } from '../logging/log.js';
import type { ResolvedClientConfig } from './client-config.js';

const MAX_LINES = 20;
const MAX_LINE = 2_000;
/** Longer lines are cut here. */
const MAX_OPEN = 65_536;
/** A cut drops this much, so that the first half of a secret is not kept. */
const MARGIN = 4_096;

/**
 * Relays the CLI's stderr line by line without secrets, and keeps the last 20 lines. Lines are handled whole, since a
 * secret may come in two chunks.
 */
export class StderrRelay {
  readonly #lines: string[] = [];
  readonly #clean: (text: string) => string;
  readonly #pass: (text: string) => void;
  #open = '';
  /** The rest of a line that was cut is left out. */
  #isSkipping = false;

  /**
   * @param clean - Takes secrets out of a text.
   * @param pass - Gets whole lines, cleaned. Must not throw.
   */
  constructor(clean: (text: string) => string, pass: (text: string) => void = () => {}) {
    this.#clean = clean;
    this.#pass = pass;
  }

  /** @param text - As it came; may begin and end inside a line. */
  add(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      const whole = this.#open + text.slice(0, end);
      this.#open = '';
      const begin = this.#isSkipping ? whole.indexOf('\n') + 1 : 0;
      this.#isSkipping = false;
      this.#take(this.#clean(whole.slice(begin)));
    }
    if (!this.#isSkipping) this.#open += text.slice(end);
    if (this.#open.length > MAX_OPEN) this.#cut();
  }

  /** There will be no more: passes on the line that has no end. */
  end(): void {
    this.#take(this.#clean(this.#open));
    this.#open = '';
  }

  get lines(): string[] {
    const open = this.#open.trim() === '' ? [] : [this.#clean(this.#open).slice(0, MAX_LINE)];
    return [...this.#lines, ...open].slice(-MAX_LINES);
  }

  #cut(): void {
    this.#take(`${this.#clean(this.#open).slice(0, -MARGIN)}…\n`);
    this.#open = '';
    this.#isSkipping = true;
  }

  #take(text: string): void {
    if (text === '') return;
    for (const line of text.split(/\r?\n/)) {
      if (line.trim() !== '') this.#lines.push(line.slice(0, MAX_LINE));
    }
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
    this.#pass(text);
  }
}

/** Where the CLI's stderr goes. */
export function stderrSink(
  { suppressStderr, stderr }: Pick<ResolvedClientConfig, 'suppressStderr' | 'stderr'>,
  log: Log,
): (text: string) => void {
  const pass = stderr ?? ((text: string): unknown => process.stderr.write(text));
  return (text) => {
    if (suppressStderr) return;
    deliver(log, { handler: 'stderr', type: 'stderr' }, () => pass(text));
  };
}
