import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { closeStarted, startFixture } from './support.js';

afterEach(closeStarted);

test('process.env is not touched, and neither listeners nor descriptors grow over 20 sessions (TS-164)', async () => {
  const env = { ...process.env };
  const count = (): number => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const before = count();
  const descriptors = readdirSync('/proc/self/fd').length;
  for (let n = 0; n < 20; n += 1) {
    const { receiver } = startFixture('exits-with', ['0']);
    await receiver.end;
  }
  expect(count()).toBe(before);
  expect(readdirSync('/proc/self/fd').length).toBe(descriptors);
  expect(process.env).toEqual(env);
});
