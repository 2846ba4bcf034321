import type { RecordingLine } from 'claudewire/testing';
import { type Counts, itemsOf, type ScrubbedItem } from '../../../../src/testing/recorder/scrub/scrubber.js';
import { isJsonObject } from '../../../../src/util/json.js';

/** What all processes of a recording scrubbed, as they said at their ends. */
export function scrubbedIn(lines: readonly RecordingLine[]): readonly ScrubbedItem[] {
  const sums: Counts = new Map();
  for (const { dir, data } of lines) {
    if (dir !== 'meta' || !isJsonObject(data) || data.event !== 'scrubbed') continue;
    // Written by the recorder in this shape.
    for (const { kind, count, where } of data.items as ScrubbedItem[]) {
      const sum = sums.get(kind) ?? { count: 0, where: new Set<string>() };
      sum.count += count;
      for (const place of where) sum.where.add(place);
      sums.set(kind, sum);
    }
  }
  return itemsOf(sums);
}

/** The list for a person: kind, how often, where. */
export function describeScrubbed(items: readonly ScrubbedItem[]): string {
  if (items.length === 0) return 'scrubbed: nothing\n';
  const lines = [...items]
    .sort((a, b) => a.kind.localeCompare(b.kind))
    .map(({ kind, count, where }) => `  ${kind.padEnd(24)} ${String(count).padStart(5)}  in ${where.join(', ')}`);
  return `scrubbed:\n${lines.join('\n')}\n`;
}
