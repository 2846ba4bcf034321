import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { applyMutation, type Mutation } from './apply-mutation.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const mutation = JSON.parse(process.env.ADAPTER_MUTATION ?? 'null') as Mutation | null;

/** The adapter's tests with one place of the source changed as it is loaded; nothing is written. */
export default defineConfig({
  plugins: [
    {
      name: 'mutation',
      enforce: 'pre',
      load(id: string) {
        if (mutation === null || id.split('?')[0] !== join(root, mutation.file)) return undefined;
        return applyMutation(readFileSync(join(root, mutation.file), 'utf8'), mutation);
      },
    },
  ],
  test: {
    root,
    include: ['test/adapter/**/*.test.ts'],
    setupFiles: ['test/helpers/property-seed.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    testTimeout: 20_000,
    maxWorkers: 1,
    bail: 1,
  },
});
