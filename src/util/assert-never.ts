/** Closes a switch over a union: does not compile while a member is unhandled. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${String(value)}`);
}
