/** Differences that docs/evidence/differences.md lists. */
export function isExpected() {
  return false;
}
