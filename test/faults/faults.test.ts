import { expect, test } from 'vitest';
import { runFaults } from './run-faults.js';

// The long run is by hand: `npm run faults`, docs/testing.md.
test('150 injected faults: every run settles, and leaves, loses and doubles nothing', async () => {
  const failed: string[] = [];
  const result = await runFaults({
    seed: 10,
    runs: 150,
    onReport: (index, { name, violations }) => {
      if (violations.length > 0) failed.push(`#${index} ${name}\n${violations.join('\n')}`);
    },
  });
  expect(failed).toEqual([]);
  expect(result.passed).toBe(150);
  expect(result.fired).toBeGreaterThan(90);
});
