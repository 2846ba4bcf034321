import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patientTimeout } from '../../src/util/patient-timeout.js';

let clock = 0;
const now = () => clock;
/** The clock and the timers go on together, tick by tick. */
function run(ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) {
    clock += 50;
    vi.advanceTimersByTime(50);
  }
}
beforeEach(() => {
  clock = 0;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('acts once when its time is up', () => {
  const act = vi.fn();
  patientTimeout(1000, act, { now });
  run(950);
  expect(act).not.toHaveBeenCalled();
  run(2000);
  expect(act).toHaveBeenCalledTimes(1);
});

test('time in which the process stood still does not count', () => {
  const act = vi.fn();
  patientTimeout(1000, act, { now });
  run(500);
  // Nothing ran for 20 s; then one tick.
  clock += 20_000;
  run(100);
  expect(act).not.toHaveBeenCalled();
  run(1000);
  expect(act).toHaveBeenCalledTimes(1);
});

test('a short one is not lengthened by its slices', () => {
  const act = vi.fn();
  patientTimeout(50, act, { now });
  run(50);
  expect(act).toHaveBeenCalledTimes(1);
});

test('can be taken back', () => {
  const act = vi.fn();
  patientTimeout(1000, act, { now })();
  run(5000);
  expect(act).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
