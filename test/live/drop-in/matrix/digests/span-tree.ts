/** A span as any tracer tells it. */
export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  /** Orders siblings. */
  readonly start: number | string;
  /** What its user sees of it. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/**
 * Spans as a tracer's page shows them: each with its children, in the order in which they began. The ids, which are
 * random, are thereby compared as well. A span whose parent was never sent is marked.
 */
export function spanTree(spans: readonly Span[]): readonly unknown[] {
  const ids = new Set(spans.map(({ id }) => id));
  const childrenOf = (parent: string | undefined): readonly unknown[] =>
    spans
      .filter((span) => (ids.has(span.parent ?? '') ? span.parent : undefined) === parent)
      .sort((a, b) => (a.start < b.start ? -1 : 1))
      .map(({ id, parent: named, shown }) => ({
        ...shown,
        ...(named !== undefined && !ids.has(named) && { parent: 'never sent' }),
        children: childrenOf(id),
      }));
  return childrenOf(undefined);
}
