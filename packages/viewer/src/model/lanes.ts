interface Interval {
  readonly start: number;
  readonly end: number;
  /** Index of the one that contains it. */
  readonly parent: number | undefined;
}

/** Lanes so that no two in one overlap, and each is below its parent. In the order of `intervals`. */
export function packLanes(intervals: readonly Interval[]): readonly number[] {
  const order = intervals.map((_, index) => index);
  const depths = intervals.map(() => 0);
  for (const [index, { parent }] of intervals.entries()) {
    // A parent comes before its children.
    depths[index] = parent === undefined ? 0 : (depths[parent] ?? 0) + 1;
  }
  const startOf = (index: number): number => intervals[index]?.start ?? 0;
  order.sort((a, b) => startOf(a) - startOf(b) || (depths[a] ?? 0) - (depths[b] ?? 0) || a - b);
  const lanes = intervals.map(() => 0);
  const ends = new LaneEnds(intervals.length);
  for (const index of order) {
    const interval = intervals[index];
    if (interval === undefined) continue;
    const { start, end, parent } = interval;
    const lane = ends.firstFree(parent === undefined ? 0 : (lanes[parent] ?? 0) + 1, start);
    ends.set(lane, Math.max(end, start));
    lanes[index] = lane;
  }
  return lanes;
}

/**
 * End of the last interval in each lane, as a tree of minima: a session that leaves 100,000 calls open has as many
 * lanes, and a look at each of them for each call would take minutes.
 */
class LaneEnds {
  readonly #size: number;
  readonly #ends: Float64Array;

  constructor(lanes: number) {
    this.#size = 2 ** Math.ceil(Math.log2(lanes + 1));
    this.#ends = new Float64Array(2 * this.#size).fill(Number.NEGATIVE_INFINITY);
  }

  /** The first lane from `lane` on that has ended at `start`. There is one: each interval takes one lane. */
  firstFree(lane: number, start: number): number {
    let node = this.#size + lane;
    while (this.#at(node) > start) {
      while (node % 2 === 1) node = (node - 1) / 2;
      node += 1;
    }
    while (node < this.#size) node = this.#at(2 * node) > start ? 2 * node + 1 : 2 * node;
    return node - this.#size;
  }

  set(lane: number, end: number): void {
    let node = this.#size + lane;
    this.#ends[node] = end;
    while (node > 1) {
      node = Math.floor(node / 2);
      this.#ends[node] = Math.min(this.#at(2 * node), this.#at(2 * node + 1));
    }
  }

  #at(node: number): number {
    return this.#ends[node] ?? Number.NEGATIVE_INFINITY;
  }
}
