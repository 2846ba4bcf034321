import { afterEach, expect } from 'vitest';

/** A process warning that no test expected (a listener leak, a late rejection) fails the test it appeared in. */
const EXPECTED = /^(CLAUDE_SDK_|ExperimentalWarning)/;

/** This file runs once for each test file, and several of them share a process: one listener is enough. */
const shared = globalThis as { claudewireTestWarnings?: string[] };
if (shared.claudewireTestWarnings === undefined) {
  const warnings: string[] = [];
  shared.claudewireTestWarnings = warnings;
  process.on('warning', (warning: Error & { code?: string }) => {
    if (EXPECTED.test(warning.code ?? warning.name)) return;
    warnings.push(`${warning.name}: ${warning.message}`);
  });
}

afterEach(() => {
  const seen = shared.claudewireTestWarnings?.splice(0);
  expect(seen, 'process warnings during this test').toEqual([]);
});
