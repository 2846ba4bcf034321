import type { RecordingLine } from 'claudewire/testing';
import { isJsonObject } from '../../../../src/util/json.js';

/** How often one kind was scrubbed, and where; never what. */
export interface ScrubbedItem {
  readonly kind: string;
  readonly count: number;
  readonly where: readonly string[];
}

const KEPT_PLACES = 8;

/** Counts what was scrubbed. */
export class ScrubbedList {
  readonly #counts = new Map<string, { count: number; readonly where: Set<string> }>();

  add(kind: string, where: string, count = 1): void {
    const entry = this.#counts.get(kind) ?? { count: 0, where: new Set<string>() };
    entry.count += count;
    if (entry.where.size < KEPT_PLACES) entry.where.add(where);
    this.#counts.set(kind, entry);
  }

  /** By kind. */
  get items(): readonly ScrubbedItem[] {
    return [...this.#counts].map(([kind, { count, where }]) => ({ kind, count, where: [...where] }));
  }
}

/** What all processes of a recording scrubbed, as they said at their ends. */
export function scrubbedIn(lines: readonly RecordingLine[]): readonly ScrubbedItem[] {
  const list = new ScrubbedList();
  for (const { dir, data } of lines) {
    if (dir !== 'meta' || !isJsonObject(data) || data.event !== 'scrubbed') continue;
    const items: unknown = data.items;
    for (const item of Array.isArray(items) ? items.filter(isItem) : []) {
      const { kind, count, where } = item;
      for (const [index, place] of where.entries()) list.add(kind, place, index === 0 ? count : 0);
    }
  }
  return list.items;
}

/** The recording may be edited, or of somebody else. */
function isItem(value: unknown): value is ScrubbedItem {
  if (!isJsonObject(value) || typeof value.kind !== 'string' || typeof value.count !== 'number') return false;
  return Array.isArray(value.where) && value.where.every((place) => typeof place === 'string');
}

/** The list for a person: kind, how often, where. */
export function describeScrubbed(items: readonly ScrubbedItem[]): string {
  if (items.length === 0) return 'scrubbed: nothing\n';
  const lines = [...items]
    .sort((a, b) => a.kind.localeCompare(b.kind))
    .map(({ kind, count, where }) => `  ${kind.padEnd(24)} ${String(count).padStart(5)}  in ${where.join(', ')}`);
  return `scrubbed:\n${lines.join('\n')}\n`;
}
