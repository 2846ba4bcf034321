const MAX_CHARACTERS = 100;

/** An id, a name or a subtype of the peer's for a diagnostic: a number, or the start of a string. Anything else may be of any size, and is left out. */
export function excerpt(value: string): string;
export function excerpt(value: unknown): string | number | undefined;
export function excerpt(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? value.slice(0, MAX_CHARACTERS) : undefined;
}
