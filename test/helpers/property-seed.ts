import fc from 'fast-check';

/**
 * Property tests run the same cases every time, so that a failure is the fault of the change at hand.
 * `FUZZ_SEED=random npm test` looks for new ones; a failure prints its seed.
 */
const { FUZZ_SEED } = process.env;
if (FUZZ_SEED !== 'random') fc.configureGlobal({ seed: Number(FUZZ_SEED ?? 20261121) });
