/** Which part of a list is wanted. */
export interface Page {
  /** Absent or not above zero: no limit. */
  readonly limit?: number | undefined;
  /** Items to leave out at the start. @defaultValue 0 */
  readonly offset?: number | undefined;
}

export function pageOf<Item>(items: readonly Item[], { limit = 0, offset = 0 }: Page): Item[] {
  const start = Math.max(0, offset);
  return items.slice(start, limit > 0 ? start + limit : undefined);
}
