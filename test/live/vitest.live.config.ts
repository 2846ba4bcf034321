import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ENTRIES } from '../../vitest.config.js';

/** Real CLIs in two workers: starting one takes a core. */
export default defineConfig({
  resolve: { alias: ENTRIES },
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/live/**/*.live.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts'],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // For the tests that say they may run side by side: a CLI waits for itself half of the time.
    maxConcurrency: 2,
  },
});
