import { packLanes } from './lanes.js';
import type { Span, SpanKind, SpanState } from './view-data.js';

interface OpenSpan {
  kind: SpanKind;
  label: string;
  start: number;
  end: number | undefined;
  parent: number | undefined;
  frame: number;
  endFrame: number | undefined;
  state: SpanState;
  id: string | undefined;
  proc: number;
}

export interface SpanStart {
  readonly kind: SpanKind;
  readonly label: string;
  /** Milliseconds on a clock that never goes back. */
  readonly at: number;
  readonly frame: number;
  readonly proc: number;
  readonly parent?: number | undefined;
  readonly id?: string | undefined;
}

/** What takes time, while the frames pass. */
export class Spans {
  readonly #all: OpenSpan[] = [];

  /** @returns its number. */
  open({ kind, label, at, frame, proc, parent, id }: SpanStart): number {
    const span = { kind, label, start: at, end: undefined, parent, frame, endFrame: undefined, id, proc };
    return this.#all.push({ ...span, state: 'open' }) - 1;
  }

  close(index: number | undefined, { at, frame, state }: { at: number; frame: number; state: SpanState }): void {
    const span = index === undefined ? undefined : this.#all[index];
    if (span === undefined || span.end !== undefined) return;
    span.end = Math.max(at, span.start);
    span.endFrame = frame;
    span.state = state;
  }

  /** What follows may tell how something ended. */
  settle(index: number, state: SpanState): void {
    const span = this.#all[index];
    if (span?.end !== undefined) span.state = state;
  }

  /** It turned out to be something else, such as a tool call that runs an agent. */
  rename(index: number, kind: SpanKind, label?: string): void {
    const span = this.#all[index];
    if (span === undefined) return;
    span.kind = kind;
    if (label !== undefined) span.label = label;
  }

  isOpen(index: number | undefined): boolean {
    return index !== undefined && this.#all[index]?.end === undefined;
  }

  startOf(index: number): number {
    return this.#all[index]?.start ?? 0;
  }

  /** Ends what is open in a process that has gone. */
  endProcess(proc: number, at: number, frame: number): void {
    for (const span of this.#all) {
      if (span.proc !== proc || span.end !== undefined || span.kind === 'process') continue;
      span.end = Math.max(at, span.start);
      span.endFrame = frame;
    }
  }

  /** All of them as they are at this time. What goes on ends now, and a child is never longer than its parent. */
  view(now: number): readonly Span[] {
    const ends = this.#all.map(({ end, start }) => end ?? Math.max(now, start));
    const parents = this.#all.map(({ parent, start }, index) => {
      let above = parent;
      while (above !== undefined && !this.#contains(above, start, ends[above] ?? 0, ends[index] ?? 0)) {
        above = this.#all[above]?.parent;
      }
      return above;
    });
    const lanes = packLanes(
      this.#all.map(({ start }, index) => ({ start, end: ends[index] ?? start, parent: parents[index] })),
    );
    return this.#all.map(({ kind, label, start, frame, endFrame, state, id }, index) => {
      const parent = parents[index];
      return {
        ...{ kind, label, start, end: ends[index] ?? start, lane: lanes[index] ?? 0, frame, state },
        ...(parent === undefined ? {} : { parent }),
        ...(endFrame === undefined ? {} : { endFrame }),
        ...(id === undefined ? {} : { id }),
      };
    });
  }

  #contains(above: number, start: number, aboveEnd: number, end: number): boolean {
    return this.startOf(above) <= start && aboveEnd >= end;
  }
}
