import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** For a user who may write nothing in the checkout. */
export default defineConfig({
  cacheDir: join(tmpdir(), 'vite'),
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['test/live/attacks/**/*.live.test.ts', 'test/live/adapter-isolation.live.test.ts'],
    setupFiles: ['test/helpers/fail-on-warnings.ts'],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    maxWorkers: 1,
    fileParallelism: false,
  },
});
