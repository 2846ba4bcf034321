import { dataOf, type Entry, HOLD_MS, TextBlocks } from '../../../../src/testing/recorder/scrub/held-lines.js';
import type { Scrubber } from '../../../../src/testing/recorder/scrub/scrubber.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { RecordingFile } from './recording-file.js';

export type RecordedStream = 'in' | 'out' | 'err';

const FLUSH_BYTES = 4 * 1024 * 1024;

/**
 * Writes lines into the recording after they were passed on: scrubbed, in order, several in one write. A line that adds
 * to a text waits for the rest of it, at most `HOLD_MS`, and what comes after it waits too.
 */
export class LineLog {
  readonly #file: RecordingFile;
  readonly #proc: number;
  readonly #scrubber: Scrubber | undefined;
  readonly #blocks: TextBlocks | undefined;
  readonly #began = Date.now() - performance.now();
  #queue: Entry[] = [];
  #bytes = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: RecordingFile, proc: number, scrubber: Scrubber | undefined) {
    this.#file = file;
    this.#proc = proc;
    this.#scrubber = scrubber;
    this.#blocks = scrubber && new TextBlocks(scrubber);
  }

  line(dir: RecordedStream, text: string, isPartial = false): void {
    this.#add(dir, text, isPartial);
    if (this.#bytes > FLUSH_BYTES) this.end();
    else this.#scheduled ??= setImmediate(() => this.#flush());
  }

  /** One event. It comes after every line so far. */
  meta(data: JsonObject): void {
    this.#add('meta', JSON.stringify(data));
    this.#flush();
  }

  /** Writes everything, also what waits for the rest of its text. */
  end(): void {
    this.#blocks?.releaseAll();
    this.#flush();
  }

  #add(dir: Entry['dir'], text: string, isPartial = false): void {
    const entry = { t: this.#now(), dir, text, length: text.length, isPartial };
    this.#queue.push(entry);
    this.#bytes += text.length;
    this.#blocks?.add(entry);
  }

  #flush(): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#timer);
    this.#scheduled = undefined;
    const blocks = this.#blocks;
    const end = blocks === undefined ? -1 : this.#queue.findIndex((entry) => blocks.isHeld(entry));
    const held = this.#queue[end];
    const ready = this.#queue.splice(0, end === -1 ? this.#queue.length : end);
    for (const { length } of ready) this.#bytes -= length;
    if (held !== undefined) this.#wake(held);
    if (ready.length > 0) this.#file.append(ready.map((entry) => this.#encode(entry)).join(''));
  }

  /** Looks again when half of the time is over, and at its end. */
  #wake({ t }: Entry): void {
    const age = this.#now() - t;
    const half = HOLD_MS / 2;
    this.#timer = setTimeout(
      () => {
        this.#blocks?.releaseOld(this.#now());
        this.#flush();
      },
      age < half ? half - age : Math.max(1, HOLD_MS - age),
    );
  }

  #encode(entry: Entry): string {
    const proc = this.#proc === 1 ? '' : `,"proc":${this.#proc}`;
    return `{"t":${entry.t},"dir":"${entry.dir}"${proc},"data":${dataOf(entry, this.#scrubber)}}\n`;
  }

  #now(): number {
    return Math.max(0, Math.round(this.#began + performance.now() - this.#file.startedAt));
  }
}
