import { afterAll, beforeAll, expect } from 'vitest';

/** Files share a worker: none may leave another clock to the next one. */
const shared = globalThis as { claudewireRealTimer?: typeof setTimeout };
shared.claudewireRealTimer ??= globalThis.setTimeout;

const expectRealClock = (): void => expect(globalThis.setTimeout, 'the real clock').toBe(shared.claudewireRealTimer);

beforeAll(expectRealClock);
afterAll(expectRealClock);
