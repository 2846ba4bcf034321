import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/live/**', '**/node_modules/**'],
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts', 'test/helpers/property-seed.ts'],
    // A test waits for events. These bounds only end a test that hangs, so they leave room for a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    // Else a title made of `$name` ends after 40 characters, and the id of its row, which comes last, is lost.
    chaiConfig: { truncateThreshold: 300 },
    // Two cores are the machine we promise to be fast on; more workers only make process tests noisy.
    maxWorkers: 2,
  },
});
