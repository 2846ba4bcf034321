/**
 * What a case saw and no row states in full: rows of a list, say, with all their fields. Both sides must have seen
 * the same.
 */
let seen: Record<string, unknown> = {};

export function alsoSeen(name: string, value: unknown): void {
  seen[name] = value;
}

/** What was seen since it was last taken. */
export function takeAlsoSeen(): unknown {
  // As JSON: a key without a value is no key to those who read it.
  const taken: unknown = JSON.parse(JSON.stringify(seen));
  seen = {};
  return taken;
}
