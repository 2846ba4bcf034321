/**
 * Mutants of the SDK: named bugs that the conformance suite must find. Each one names a symbol of `src`, wherever its file is, and
 * changes one place in it that is found by its structure. So moving, formatting and renaming other code leaves a mutant as it is.
 *
 * A mutant is a bug somebody could make. A CLI or a program can notice it, and at least half of the scenarios pass with it.
 * They were written from the source and the requirements, without sight of the scenarios. `npm run mutants` runs them.
 */
import L0 from './L0.mjs';
import L1 from './L1.mjs';
import L2 from './L2.mjs';
import L3 from './L3.mjs';
import L4 from './L4.mjs';
import L5 from './L5.mjs';
import L6 from './L6.mjs';
import L7 from './L7.mjs';
import L8 from './L8.mjs';
import later from './later.mjs';

export { default as rowMutants } from './python-rows.mjs';

/** @type {readonly import('./index.d.mts').Mutant[]} */
export const mutants = Object.entries({ L0, L1, L2, L3, L4, L5, L6, L7, L8 }).flatMap(([level, list]) =>
  [...list, ...(later[level] ?? [])].map((mutant) => ({ ...mutant, level })),
);
