import { isJsonObject, type JsonObject } from '../../../../../src/util/json.js';
import type { Digest } from '../dependent.js';
import type { ReceivedRequest } from '../receiver.js';
import { spanTree } from './span-tree.js';

interface Row {
  readonly span_id: string;
  readonly span_parents?: readonly string[] | null;
  readonly _is_merge?: boolean;
  readonly [field: string]: unknown;
}

/** The spans that were logged, as a tree. A row may add to an earlier one. */
export function braintrustSpans(received: readonly ReceivedRequest[]): Digest {
  const spans = new Map<string, Row>();
  const rows = received
    .filter(({ path }) => path.startsWith('/logs3') && !path.includes('overflow'))
    // The client writes this form.
    .flatMap(({ body }) => (JSON.parse(body.toString()) as { rows: readonly Row[] }).rows);
  for (const row of rows) {
    const before = spans.get(row.span_id);
    spans.set(row.span_id, before === undefined ? row : (merged(before, row) as Row));
  }
  return {
    span: spanTree(
      [...spans.values()].map(({ span_id, span_parents, ...row }) => ({
        id: span_id,
        parent: span_parents?.[0],
        start: Number(isJsonObject(row.metrics) ? row.metrics.start : 0),
        shown: shownOf(row),
      })),
    ),
  };
}

function merged(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const fields = Object.entries(after).map(([key, value]) => [key, merged(before[key], value)]);
  return { ...before, ...Object.fromEntries(fields) };
}

function shownOf({ input, output, error, metadata, metrics, span_attributes, tags, scores }: JsonObject): JsonObject {
  const { start, end, ...counts } = isJsonObject(metrics) ? metrics : {};
  const isOver = start !== undefined && end !== undefined;
  return { span_attributes, input, output, error, metadata, metrics: counts, tags, scores, isOver };
}
