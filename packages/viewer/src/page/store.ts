import type { Fault, Frame, ViewData } from '../model/view-data.js';
import { type LiveUpdate, type PackedView, unpackFrames } from '../render/packed.js';
import { inflate } from './inflate.js';

export type PageData = Omit<ViewData, 'frames'> & { readonly isLive: boolean };

/** What is shown. */
export class Store {
  data: PageData;
  readonly frames: Frame[];
  /** Faults by frame. */
  #faults = new Map<number, Fault[]>();

  constructor({ frames, ...data }: PackedView) {
    this.data = data;
    this.frames = unpackFrames(frames);
    this.#sortFaults();
  }

  /** Reads what is in the page. @throws Error the page is damaged. */
  static async ofPage(): Promise<Store> {
    const index = document.getElementById('index');
    if (index?.textContent == null) throw new Error('this page has no data: it was not written to its end');
    // `page-file.ts` has written it.
    return new Store(JSON.parse(await inflate(index.textContent)) as PackedView);
  }

  faultsAt(frame: number): readonly Fault[] {
    return this.#faults.get(frame) ?? [];
  }

  /** What came from the server; what is known already is written again. */
  update({ from, frames, bodies: _, bodiesFrom: _from, changed, isOver: _over, isNew, ...data }: LiveUpdate): void {
    if (isNew) this.frames.length = 0;
    for (const [index, frame] of unpackFrames(frames).entries()) this.frames[from + index] = frame;
    for (const [index, frame] of changed) this.frames[index] = frame;
    this.data = { ...data, isLive: true };
    this.#sortFaults();
  }

  #sortFaults(): void {
    this.#faults = new Map();
    for (const fault of this.data.faults) {
      const known = this.#faults.get(fault.frame);
      if (known === undefined) this.#faults.set(fault.frame, [fault]);
      else known.push(fault);
    }
  }
}
