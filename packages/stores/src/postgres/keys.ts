import { createHash } from 'node:crypto';
import { damaged } from '../shared/lines.js';

/** SHA-256 of names, for a column. Different lists have different ones. */
export function hashOf(...names: readonly (string | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(names)).digest();
}

/** A name as `text` can hold it: JSON without the quotes. Ordinary names stay as they are. */
export function columnOf(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** @throws StoreError `damaged`. */
export function nameIn(column: unknown, what: string): string {
  try {
    const name: unknown = JSON.parse(`"${String(column)}"`);
    if (typeof name === 'string') return name;
  } catch (cause) {
    throw damaged(what, 'is no name', cause);
  }
  throw damaged(what, 'is no name');
}
