import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEADLINE_GRACE_MS, RunDeadline } from '../../src/query/run-deadline.js';

function deadline(deadlineMs: number, canInterrupt = true) {
  const happened: string[] = [];
  const run = new RunDeadline(deadlineMs, {
    canInterrupt: () => canInterrupt,
    interrupt: () => happened.push('interrupt'),
    stop: (error) => happened.push(`stop ${error.errorClass} ${error.deadlineMs}`),
  });
  return { run, happened };
}

describe('run deadline', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('no limit is no timer', () => {
    deadline(Number.POSITIVE_INFINITY).run.start();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('interrupts at the deadline, and stops at the result of the turn', () => {
    const { run, happened } = deadline(100);
    run.start();
    vi.advanceTimersByTime(99);
    run.onResult();
    expect(happened).toEqual([]);
    expect(run.passed).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(['interrupt']);
    expect(run.passed?.errorClass).toBe('deadline_exceeded');
    run.onResult();
    expect(happened).toEqual(['interrupt', 'stop deadline_exceeded 100']);
  });

  test('stops after the grace when no result comes', () => {
    const { run, happened } = deadline(100);
    run.start();
    vi.advanceTimersByTime(100 + DEADLINE_GRACE_MS - 1);
    expect(happened).toEqual(['interrupt']);
    vi.advanceTimersByTime(1);
    expect(happened).toEqual(['interrupt', 'stop deadline_exceeded 100']);
  });

  test('stops at once when there is nothing to interrupt, or no way to', () => {
    const { run, happened } = deadline(100, false);
    run.start();
    vi.advanceTimersByTime(100);
    expect(happened).toEqual(['stop deadline_exceeded 100']);
  });

  test('dispose() leaves no timer, before the deadline and in the grace', () => {
    const early = deadline(100);
    early.run.start();
    early.run.dispose();
    const late = deadline(100);
    late.run.start();
    vi.advanceTimersByTime(100);
    late.run.dispose();
    expect(vi.getTimerCount()).toBe(0);
    expect(early.happened).toEqual([]);
  });
});
