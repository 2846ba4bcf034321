import { afterEach, describe, expect, test, vi } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { systemClock } from '../../../src/adapter/limits/clock.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { ManualClock } from '../support/manual-clock.js';
import { thrownBy } from '../support/thrown-by.js';

const clock = new ManualClock();
const inMs = (ms: number): Date => new Date(clock.now() + ms);

test('an expiry in the past, now, or less than a second ahead is refused (AD-068)', () => {
  const cases = [
    [-1, /must be in the future/],
    [0, /must be in the future/],
    [500, /at least one second ahead, got 500 ms/],
    [999, /at least one second ahead/],
  ] as const;
  for (const [ms, says] of cases) {
    const error = thrownBy(() => new Deadline(inMs(ms), { clock }));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ message: expect.stringMatching(says), fields: ['expiresAt'] });
  }
});

for (const [name, value] of [
  ['an invalid date', new Date(Number.NaN)],
  ['a number', 5],
  ['nothing', undefined],
] as const) {
  test(`an expiry that is ${name} is refused`, () => {
    expect(() => new Deadline(value as Date, { clock })).toThrow(AdapterConfigError);
  });
}

for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, '5', undefined, 1e300, -5, 500]) {
  test(`Deadline.fromNow(${String(ms)}) is refused`, () => {
    expect(() => Deadline.fromNow(ms as number, { clock })).toThrow(AdapterConfigError);
  });
}

test('one second ahead is enough', () => {
  expect(new Deadline(inMs(1_000), { clock }).remainingMs()).toBe(1_000);
});

test('a deadline expires when its time has come, and what remains goes below zero (AD-069)', () => {
  const own = new ManualClock();
  const deadline = Deadline.fromNow(300_000, { clock: own });
  expect(deadline.isExpired()).toBe(false);
  own.advance(299_999);
  expect(deadline.isExpired()).toBe(false);
  expect(deadline.remainingMs()).toBe(1);
  own.advance(1);
  expect(deadline.isExpired()).toBe(true);
  own.advance(5_000);
  expect(deadline.remainingMs()).toBe(-5_000);
  expect(deadline.remainingMs(deadline.expiresAt.getTime() - 7)).toBe(7);
});

test('the date that was given, or is read, does not move the deadline', () => {
  const date = inMs(5_000);
  const deadline = new Deadline(date, { clock });
  date.setTime(0);
  deadline.expiresAt.setTime(0);
  expect(deadline.remainingMs()).toBe(5_000);
  expect(JSON.stringify({ deadline })).toBe(JSON.stringify({ deadline: new Date(clock.now() + 5_000) }));
});

describe('the machine’s clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const DAY_MS = 86_400_000;

  test('a timer for a deadline 60 days away fires then, and not early (AD-076)', () => {
    vi.useFakeTimers();
    let fired = 0;
    const deadline = Deadline.fromNow(60 * DAY_MS);
    systemClock.setTimer(deadline.remainingMs(), () => {
      fired += 1;
    });
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(fired).toBe(0);
    expect(deadline.isExpired()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
    expect(deadline.isExpired()).toBe(true);
    vi.advanceTimersByTime(100 * DAY_MS);
    expect(fired).toBe(1);
  });

  test('a timer that is taken back does not fire, whichever part of the wait it is in', () => {
    vi.useFakeTimers();
    let fired = 0;
    const cancels = [30, 60].map((days) =>
      systemClock.setTimer(days * DAY_MS, () => {
        fired += 1;
      }),
    );
    vi.advanceTimersByTime(26 * DAY_MS);
    for (const cancel of [...cancels, ...cancels]) cancel();
    vi.advanceTimersByTime(100 * DAY_MS);
    expect(fired).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a wait that is over, or is no number, fires at once', () => {
    vi.useFakeTimers();
    let fired = 0;
    for (const ms of [0, -5, Number.NaN]) {
      systemClock.setTimer(ms, () => {
        fired += 1;
      });
    }
    vi.advanceTimersByTime(1);
    expect(fired).toBe(3);
  });

  test('a timer does not keep the process alive', () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const cancel = systemClock.setTimer(60_000, () => {});
    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    cancel();
    // Node lists only what keeps it alive.
    expect(after).toBe(before);
  });
});
