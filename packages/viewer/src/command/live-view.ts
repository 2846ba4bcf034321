import type { LiveUpdate } from '../render/packed.js';
import { packFrames } from '../render/packed.js';
import { pagePieces } from '../render/page-file.js';
import { type ReadOptions, ViewReader } from '../source/view-reader.js';

/** A session that goes on: the page of it so far, and what it grows by. */
export class LiveView {
  readonly #name: string;
  readonly #options: ReadOptions;
  #reader: ViewReader;
  #sent = 0;
  #isNew = false;
  isOver = false;

  constructor(name: string, options: ReadOptions) {
    this.#name = name;
    this.#options = options;
    this.#reader = new ViewReader(name, options);
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  /** What comes is another file. */
  restart(): void {
    this.#reader = new ViewReader(this.#name, this.#options);
    this.#sent = 0;
    this.#isNew = true;
  }

  release(quietMs: number): void {
    this.#reader.release(quietMs);
  }

  end(): void {
    this.#reader.end();
    this.isOver = true;
  }

  /** The whole page as it is now. */
  page(template: string | undefined): Iterable<string> {
    return pagePieces({ data: this.#reader.view(), chunks: this.#reader.bodies.chunks(), isLive: true, template });
  }

  /** What came since the last call; `undefined` when nothing did. */
  takeUpdate(): LiveUpdate | undefined {
    const { builder } = this.#reader;
    const changed = builder.takeChanged();
    const from = this.#sent;
    if (!this.#isNew && !this.isOver && changed.length === 0 && builder.frames.length === from) return undefined;
    this.#sent = builder.frames.length;
    const update = this.#update({ from, bodiesFrom: from, changed, isNew: this.#isNew });
    this.#isNew = false;
    return update;
  }

  /** Everything for a page that has the bodies up to this frame. */
  updateFrom(frame: number): LiveUpdate {
    // A page that knows more frames has seen another file.
    const isNew = frame > this.#reader.builder.frames.length;
    return this.#update({ from: 0, bodiesFrom: isNew ? 0 : frame, changed: [], isNew });
  }

  #update(
    part: Pick<LiveUpdate, 'from' | 'bodiesFrom' | 'isNew'> & { readonly changed: readonly number[] },
  ): LiveUpdate {
    const { from, bodiesFrom, isNew } = part;
    const { frames, ...data } = this.#reader.view();
    return {
      ...data,
      ...{ from, bodiesFrom, isNew, isOver: this.isOver },
      frames: packFrames(frames.slice(from)),
      bodies: this.#reader.bodies.from(bodiesFrom),
      changed: part.changed.flatMap((index) => {
        const frame = frames[index];
        return frame === undefined || index >= from ? [] : [[index, frame] as const];
      }),
    };
  }
}
