import { isConversationId } from './conversation-key.js';
import type { IndexEntry } from './tenant-index.js';

/** A change of a conversation, or without its bytes that it is gone. */
export type Line = readonly [id: string, time: number, bytes?: number];

export function lineOf({ id, updatedAt, bytes }: IndexEntry): Line {
  return [id, updatedAt, bytes];
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** `undefined` for what no process writes. One number says how many lines a file was made with. */
export function parsed(line: string): Line | readonly [firstLines: number] | undefined {
  try {
    const values: unknown = JSON.parse(line);
    if (!Array.isArray(values)) return undefined;
    const [id, ...numbers] = values;
    if (Number.isSafeInteger(id) && values.length === 1) return [id];
    if (!isConversationId(id)) return undefined;
    const isLine = numbers.length > 0 && numbers.length < 3 && numbers.every((value) => Number.isFinite(value));
    return isLine ? [id, numbers[0], numbers[1]] : undefined;
  } catch {
    return undefined;
  }
}
