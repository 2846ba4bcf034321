import { invalidArgument, requireKnown } from '../../../errors/usage-errors.js';
import { dataOf, type Entry, TextBlocks } from './held-lines.js';
import { Scrubber } from './scrubber.js';

/** A line to show or to keep. */
export interface LineToScrub {
  /** Milliseconds since the start, or since the epoch: what `release()` compares with. */
  readonly t: number;
  readonly dir: 'in' | 'out' | 'err' | 'meta';
  /** A frame as JSON text, or a text that is none. */
  readonly text: string;
}

export interface LineScrubberOptions {
  /** Further texts to hide. @defaultValue none */
  readonly texts?: readonly string[];
  /** Variables whose values are hidden where their names are those of secrets. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that is shown as `/work-dir`. @defaultValue the current one */
  readonly cwd?: string;
}

/** Characters that may wait for the rest of their text. */
const MAX_HELD_CHARS = 4 * 1024 * 1024;

/**
 * Takes out of lines what `claudewire record` takes out: secrets, paths and account data. Texts that stream are looked
 * at as a whole, so a line that adds to one waits for the rest of it, and what comes after waits too.
 */
export class LineScrubber {
  readonly #scrubber: Scrubber;
  readonly #blocks: TextBlocks;
  #queue: Entry[] = [];
  #chars = 0;

  /** @throws InvalidOptionError `options` or a field of it cannot be used. */
  constructor(options: LineScrubberOptions = {}) {
    const given = requireKnown('new LineScrubber()', 'options', options, ['texts', 'env', 'cwd']);
    const { texts = [], env = process.env, cwd = process.cwd() } = given;
    if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string')) {
      const cure = 'Pass texts such as `["internal.example"]`.';
      throw invalidArgument('texts', 'new LineScrubber() takes a list of strings as `texts`', texts, cure);
    }
    this.#scrubber = new Scrubber({ texts, env, cwd });
    this.#blocks = new TextBlocks(this.#scrubber);
  }

  /**
   * Takes one line.
   * @returns the lines that are ready, in order, each as JSON text: a frame, or a string.
   */
  push({ t, dir, text }: LineToScrub): readonly string[] {
    const entry = { t, dir, text, length: text.length, isPartial: false };
    this.#queue.push(entry);
    this.#chars += text.length;
    this.#blocks.add(entry);
    if (this.#chars > MAX_HELD_CHARS) this.#blocks.releaseAll();
    return this.#take();
  }

  /** A text that is no line, such as a name that is shown. */
  text(text: string): string {
    return this.#scrubber.text(text, 'text');
  }

  /** The lines that have waited for two seconds at this time, but for the last word of their text. */
  release(now: number): readonly string[] {
    this.#blocks.releaseOld(now);
    return this.#take();
  }

  /** All that wait. */
  end(): readonly string[] {
    this.#blocks.releaseAll();
    return this.#take();
  }

  #take(): readonly string[] {
    const end = this.#queue.findIndex((entry) => this.#blocks.isHeld(entry));
    const ready = this.#queue.splice(0, end === -1 ? this.#queue.length : end);
    for (const { length } of ready) this.#chars -= length;
    return ready.map((entry) => dataOf(entry, this.#scrubber));
  }
}
