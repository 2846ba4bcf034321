/** On the global object, so that all copies of this package share it. */
const CLAIMED = Symbol.for('claudewire-otel.claimed');

/**
 * Claims a provider for one instrumentation.
 * @returns what gives it back; `undefined` when it is claimed already.
 */
export function claim(
  kind: 'tracer' | 'meter',
  given: object | undefined,
  registered: object,
): (() => void) | undefined {
  const claimed = registry();
  // The registered one has a name: each copy of the API may have its own object for it until one is registered.
  const key = given === undefined || given === registered ? `global ${kind}` : given;
  if (claimed.has(key)) return undefined;
  claimed.add(key);
  return () => void claimed.delete(key);
}

function registry(): Set<unknown> {
  const found: unknown = Reflect.get(globalThis, CLAIMED);
  if (found instanceof Set) return found;
  const made = new Set<unknown>();
  Reflect.set(globalThis, CLAIMED, made);
  return made;
}
