/** The frame that is shown, and the frames that are copied. */
export class Selection {
  /** Index of a frame; `-1`: none. */
  current = -1;
  selected: ReadonlySet<number> = new Set();
  #anchor = -1;

  set(frame: number): void {
    this.current = frame;
    this.#anchor = frame;
    this.selected = new Set(frame === -1 ? [] : [frame]);
  }

  toggle(frame: number): void {
    if (frame === -1) return;
    const selected = new Set(this.selected);
    if (!selected.delete(frame)) selected.add(frame);
    this.selected = selected;
    this.current = frame;
    this.#anchor = frame;
  }

  /** Everything in the list from where the selection began up to this frame. */
  extend(shown: readonly number[], frame: number): void {
    const from = Math.max(0, shown.indexOf(this.#anchor));
    const to = shown.indexOf(frame);
    this.selected = new Set(shown.slice(Math.min(from, to), Math.max(from, to) + 1));
    this.current = frame;
  }

  all(shown: readonly number[]): void {
    this.selected = new Set(shown);
    if (this.current === -1) this.current = shown[0] ?? -1;
  }

  /** In order. Without a selection the frame that is shown. */
  frames(): readonly number[] {
    const frames = this.selected.size > 0 ? [...this.selected] : [this.current];
    return frames.filter((frame) => frame !== -1).sort((a, b) => a - b);
  }
}
