import { defineConfig } from 'vitest/config';

/** The tests of one folder, for Stryker, which sets `dir`. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    // The first measures time, and instrumented code is slower. The second counts descriptors, and Stryker opens its own.
    exclude: ['**/floods.test.ts', '**/descriptors.test.ts', '**/node_modules/**'],
    // Some tests start the player.
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/property-seed.ts'],
    testTimeout: 20_000,
  },
});
