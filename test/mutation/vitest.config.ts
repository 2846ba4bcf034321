import { defineConfig } from 'vitest/config';

/** The tests of one folder, for Stryker, which sets `dir`. */
export default defineConfig({
  test: { include: ['**/*.test.ts'], setupFiles: ['test/helpers/property-seed.ts'], testTimeout: 20_000 },
});
