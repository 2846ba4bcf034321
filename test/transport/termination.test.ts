import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { DEFAULT_EXIT_LADDER, REAP_MS, Termination } from '../../src/transport/termination.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function createTermination(isGone = false) {
  const events: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const begin = performance.now();
  const termination = new Termination({
    kill: (signal) => {
      events.push(`${signal} at ${performance.now() - begin}`);
      return !isGone;
    },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onUnkillable: () => events.push(`unkillable at ${performance.now() - begin}`),
  });
  return { termination, events, diagnostics };
}

describe('termination', () => {
  test('the default ladder is SIGTERM at 2 s and SIGKILL at 7 s (TS-158, TS-159)', async () => {
    const { termination, events, diagnostics } = createTermination();
    void termination.start(DEFAULT_EXIT_LADDER);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(events).toEqual(['SIGTERM at 2000', 'SIGKILL at 7000', `unkillable at ${7000 + REAP_MS}`]);
    const message = (afterMs: number, signal: string) =>
      `Claude Code had not exited ${afterMs} ms after it was asked to and was sent ${signal}`;
    expect(diagnostics).toEqual([
      { code: 'process_signalled', message: message(2000, 'SIGTERM'), details: { signal: 'SIGTERM', afterMs: 2000 } },
      { code: 'process_signalled', message: message(7000, 'SIGKILL'), details: { signal: 'SIGKILL', afterMs: 7000 } },
    ]);
  });

  test("ClaudeClient's ladder is SIGTERM at 5 s and SIGKILL at 10 s (PY-098, PY-099)", async () => {
    const { termination, events } = createTermination();
    void termination.start({ sigtermMs: 5_000, sigkillMs: 10_000 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(events).toEqual(['SIGTERM at 5000', 'SIGKILL at 10000']);
  });

  test('a ladder longer than a timer reaches waits for the exit, and signals nothing at once', async () => {
    const { termination, events } = createTermination();
    let isOver = false;
    const longest = 2 ** 31 - 1;
    const ended = termination.start({ sigtermMs: longest, sigkillMs: longest + 5_000 }).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual([]);
    expect(isOver).toBe(false);
    termination.processGone();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a process that leaves meets no signal and no timer stays (TS-157, PY-097, PY-100)', async () => {
    const { termination, events } = createTermination();
    const ended = termination.start(DEFAULT_EXIT_LADDER);
    await vi.advanceTimersByTimeAsync(100);
    termination.processGone();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
    await termination.start(DEFAULT_EXIT_LADDER);
    expect(vi.getTimerCount()).toBe(0);
    expect(events).toEqual([]);
  });

  const pairs = [
    {
      name: 'a faster ladder started later wins',
      ladders: [
        { sigtermMs: 2_000, sigkillMs: 7_000 },
        { sigtermMs: 100, sigkillMs: 300 },
      ],
      events: ['SIGTERM at 1100', 'SIGKILL at 1300'],
    },
    {
      name: 'a slower ladder changes nothing',
      ladders: [
        { sigtermMs: 2_000, sigkillMs: 7_000 },
        { sigtermMs: 5_000, sigkillMs: 10_000 },
      ],
      events: ['SIGTERM at 2000', 'SIGKILL at 7000'],
    },
    {
      name: 'each step is the earlier one',
      ladders: [{ sigtermMs: 2_000, sigkillMs: 7_000 }, { sigkillMs: 3_000 }],
      events: ['SIGTERM at 2000', 'SIGKILL at 4000'],
    },
    {
      name: 'a step that was left out can come later',
      ladders: [{ sigtermMs: 500 }, { sigkillMs: 1_000 }],
      events: ['SIGTERM at 500', 'SIGKILL at 2000'],
    },
    { name: 'a signal is sent once', ladders: [{ sigtermMs: 0 }, { sigtermMs: 0 }], events: ['SIGTERM at 0'] },
    { name: 'no limit means never', ladders: [{ sigtermMs: Number.POSITIVE_INFINITY }, {}], events: [] },
  ];
  for (const { name, ladders, events: expected } of pairs) {
    test(name, async () => {
      const { termination, events } = createTermination();
      for (const ladder of ladders) {
        void termination.start(ladder);
        await vi.advanceTimersByTimeAsync(1_000);
      }
      await vi.advanceTimersByTimeAsync(20_000);
      expect(events.filter((event) => event.startsWith('SIG'))).toEqual(expected);
      expect(vi.getTimerCount()).toBe(0);
    });
  }

  test('a step of 0 ms is taken at once, and the report names no wait', () => {
    const { termination, events, diagnostics } = createTermination();
    void termination.start({ sigtermMs: 0 });
    expect(events).toEqual(['SIGTERM at 0']);
    expect(diagnostics).toEqual([
      {
        code: 'process_signalled',
        message: 'Claude Code was sent SIGTERM',
        details: { signal: 'SIGTERM', afterMs: 0 },
      },
    ]);
    termination.processGone();
  });

  test('a process that only got SIGTERM and stays is not called unkillable', async () => {
    const { termination, events } = createTermination();
    void termination.start({ sigtermMs: 100 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual(['SIGTERM at 100']);
  });

  test('a start resolves when its last step and the time to reap have passed', async () => {
    const { termination } = createTermination();
    let hasEnded = false;
    void termination.start({ sigtermMs: 100 }).then(() => {
      hasEnded = true;
    });
    await vi.advanceTimersByTimeAsync(100 + REAP_MS - 1);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(hasEnded).toBe(true);
  });

  test('a start counts from now, whatever the clock says', async () => {
    await vi.advanceTimersByTimeAsync(500_000);
    const { termination } = createTermination();
    const ended = termination.start({ sigtermMs: 100 });
    await vi.advanceTimersByTimeAsync(100 + REAP_MS);
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a signal to a process that is gone is not reported', async () => {
    const { termination, diagnostics } = createTermination(true);
    void termination.start({ sigtermMs: 0 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(diagnostics).toEqual([]);
  });
});
