import { describe } from 'vitest';

/**
 * Tests that need a sandbox: bubblewrap, socat and a network namespace. `scripts/live.mjs` fails where Linux lacks them, unless
 * it was told that this may be; there, and on other systems, they are skipped.
 */
export function describeSandboxed(title: string, tests: () => void): void {
  describe.skipIf(process.env.LIVE_SANDBOX !== '1')(`${title} (only where the sandbox works)`, tests);
}
