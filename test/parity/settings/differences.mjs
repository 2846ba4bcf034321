/** Differences that docs/differences.md lists. */
export function isExpected() {
  return false;
}
