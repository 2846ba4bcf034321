/** By the last result of a run: how many messages the CLI left without an answer when it ended. */
const counts = new WeakMap<object, number>();

/** Remembers it for `outcomeOf`, which sees messages only. */
export function leftUnanswered(lastResult: object, count: number): void {
  counts.set(lastResult, count);
}

export function unansweredAfter(lastResult: object): number {
  return counts.get(lastResult) ?? 0;
}
