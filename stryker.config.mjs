/**
 * Mutation testing for breadth: many small changes of one folder, run against that folder's own tests.
 * `npm run mutation:breadth -- parser` sets the folder, and writes the score to docs/evidence/mutation.md.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
const folder = process.env.MUTATION_FOLDER ?? 'parser';

export default {
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', dir: `test/${folder}`, related: false },
  // A wrong choice of processes to kill ends Stryker too.
  mutate: [`src/${folder}/**/*.ts`, '!src/adapter/isolation/end-processes.ts'],
  // Such a mutant runs with every test, and most of them change a message or a constant that a type already pins.
  ignoreStatic: true,
  // Many mutants only make a test wait: four at a time keep two cores busy.
  concurrency: 4,
  timeoutMS: 10_000,
  tempDirName: '.build/stryker',
  ignorePatterns: ['.build', 'dist', 'bench', 'docs'],
  // The preprocessor of tsconfig files needs the JavaScript API that TypeScript 7 no longer has.
  tsconfigFile: 'none.json',
  allowEmpty: true,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: true },
  jsonReporter: { fileName: `.build/mutation/${folder.replaceAll('/', '-')}.json` },
};
