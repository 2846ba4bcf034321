import { afterEach, expect } from 'vitest';

/** A process warning that no test expected (a listener leak, a late rejection) fails the test it appeared in. */
const warnings: string[] = [];
const EXPECTED = /^(CLAUDE_SDK_|ExperimentalWarning)/;

process.on('warning', (warning: Error & { code?: string }) => {
  if (EXPECTED.test(warning.code ?? warning.name)) return;
  warnings.push(`${warning.name}: ${warning.message}`);
});

afterEach(() => {
  const seen = warnings.splice(0);
  expect(seen, 'process warnings during this test').toEqual([]);
});
