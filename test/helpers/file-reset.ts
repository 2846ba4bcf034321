import { afterAll, vi } from 'vitest';

/** Files of the quick tests share a worker: what one leaves replaced would be replaced in the next. */
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
