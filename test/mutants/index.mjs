/**
 * Mutants of the SDK: named bugs, each one replacement in one file of `src/`. `find` stands there exactly once.
 * They were written from the source and the requirements, without sight of the scenarios.
 *
 * A mutant is a bug somebody could make. It is not equivalent to the original for anything that a CLI can see or a
 * program can observe, and it leaves at least half of the scenarios green. `npm run mutants` runs the conformance
 * suite on each of them and wants every one to be found.
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

/** @type {readonly { name: string, level: string, file: string, find: string, replace: string, breaks: string }[]} */
export const mutants = Object.entries({ L0, L1, L2, L3, L4, L5, L6, L7, L8 }).flatMap(
  ([level, list]) => list.map((mutant) => ({ ...mutant, level })),
);
