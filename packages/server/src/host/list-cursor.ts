import { HostError } from '../errors.js';
import { isPlace, type ListPlace } from '../stores/list-options.js';

/** No cursor of a host is longer. */
const MAX_LENGTH = 128;

/** A place in a list as text for clients. They must not read anything into it. */
export function cursorOf({ updatedAt, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString('base64url');
}

/** @throws HostError `invalid`: it is not one that {@link cursorOf} made. */
export function placeOf(cursor: unknown): ListPlace {
  const place = typeof cursor === 'string' && cursor.length <= MAX_LENGTH ? decoded(cursor) : undefined;
  if (place !== undefined && isPlace(place) && cursorOf(place) === cursor) return place;
  throw new HostError('invalid', '`after` must be the `next` of the page before. Without it the list begins again.');
}

function decoded(cursor: string): { updatedAt: unknown; id: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? { updatedAt: value[0], id: value[1] } : undefined;
  } catch {
    return undefined;
  }
}
