import type { Cuts } from '../scenario/scenario-types.js';
import type { Clock, OutputSink } from './play-io.js';

const DEFAULT_GAP_MS = 5;

/** Writes to stdout: whole, or in pieces that reach the reader one by one. */
export class PieceWriter {
  readonly #sink: OutputSink;
  readonly #clock: Clock;

  constructor(sink: OutputSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Resolves when the reader takes more; returns nothing when it does so now. */
  write(bytes: Uint8Array | string, cuts: Cuts = {}): Promise<void> | undefined {
    return cuts.cut === undefined
      ? this.#sink.write(bytes)
      : this.#writePieces(Buffer.from(bytes), cuts.cut, cuts.gapMs ?? DEFAULT_GAP_MS);
  }

  async #writePieces(whole: Buffer, cut: number | readonly number[], gapMs: number): Promise<void> {
    let start = 0;
    for (const end of [...offsets(cut, whole.length), whole.length]) {
      await this.#sink.write(whole.subarray(start, end));
      // The pause lets the reader wake up, so that it sees this piece alone.
      if (end < whole.length) await delay(this.#clock, gapMs);
      start = end;
    }
  }
}

export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, ms));
}

function offsets(cut: number | readonly number[], length: number): readonly number[] {
  if (typeof cut !== 'number') return cut.filter((at) => at < length);
  return Array.from({ length: Math.ceil(length / cut) - 1 }, (_, index) => (index + 1) * cut);
}
