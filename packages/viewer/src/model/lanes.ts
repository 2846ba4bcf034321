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
  /** End of the last interval in each lane. */
  const ends: number[] = [];
  for (const index of order) {
    const interval = intervals[index];
    if (interval === undefined) continue;
    const { start, end, parent } = interval;
    let lane = parent === undefined ? 0 : (lanes[parent] ?? 0) + 1;
    while ((ends[lane] ?? Number.NEGATIVE_INFINITY) > start) lane += 1;
    ends[lane] = Math.max(end, start);
    lanes[index] = lane;
  }
  return lanes;
}
