/**
 * Rows of the two parity checklists that no test covers, each with the reason. `coverage.test.ts` holds
 * this list against the ids that the tests cite: every id is on exactly one side.
 */

interface Deferral {
  /** `TS-174`, or a range `PY-150..160`. */
  readonly ids: readonly string[];
  readonly reason: string;
}

export const DEFERRED: readonly Deferral[] = [
  {
    ids: ['PY-015..020'],
    reason: 'No version probe is run (D-70), so there is nothing to skip, to fail or to warn of.',
  },
  { ids: ['PY-101'], reason: 'Python language matter: a promise cannot be cancelled while it closes a session.' },
];

/** Rows that say the same as a row of the other checklist, and are shown by its test. */
export const SAME_AS: Readonly<Record<string, string>> = { 'PY-102': 'TS-163' };

/** How many rows the checklists have; the TypeScript one has a row 169a besides. */
export const TYPESCRIPT_ROWS = 185;
export const PYTHON_ROWS = 367;
