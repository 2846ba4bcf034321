import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/live/**', '**/node_modules/**'],
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts', 'test/helpers/property-seed.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Two cores are the machine we promise to be fast on; more workers only make process tests noisy.
    maxWorkers: 2,
  },
});
