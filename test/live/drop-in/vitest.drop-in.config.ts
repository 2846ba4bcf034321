import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Real CLIs in two workers, as in the live tests. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['test/live/drop-in/**/*.drop-in.test.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts'],
    testTimeout: 180_000,
    // Two live runs are compared, and on a busy machine the CLI may send a request again in one of them.
    retry: 2,
    hookTimeout: 30_000,
    maxWorkers: 2,
    // Whole runs are compared: only what differs is worth reading.
    diff: { expand: false, contextLines: 6, truncateThreshold: 400 },
  },
});
