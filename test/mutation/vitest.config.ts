import { defineConfig } from 'vitest/config';

/** The tests of one folder, for Stryker, which sets `dir`. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    // One measures time, which instrumented code takes more of; one counts the descriptors of the process, which are Stryker's too.
    exclude: ['**/floods.test.ts', '**/descriptors.test.ts', '**/node_modules/**'],
    // Some tests start the player.
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/property-seed.ts'],
    testTimeout: 20_000,
  },
});
