import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DRAIN_AFTER_EXIT_MS, ProcessEnd } from '../../src/transport/process-end.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const EXITED = { exitCode: 0, signal: null };

type Step =
  | 'with stderr'
  | 'exit'
  | 'stdout ends'
  | 'stderr ends'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'handed over'
  | 'data'
  | 'hurry'
  | `${number} ms`;

/** How often it was complete after each step. */
async function completionsAfter(steps: readonly Step[]): Promise<number[]> {
  let completed = 0;
  const end = new ProcessEnd(() => {
    completed += 1;
  });
  const counts: number[] = [];
  for (const step of steps) {
    if (step === 'with stderr') end.waitForStderr();
    else if (step === 'exit') end.exited(EXITED);
    else if (step === 'handed over') end.exited(EXITED, 20 * DRAIN_AFTER_EXIT_MS);
    else if (step === 'data') end.heard();
    else if (step === 'hurry') end.hurry();
    else if (step === 'stdout ends') end.pipeEnded('stdout');
    else if (step === 'stderr ends') end.pipeEnded('stderr');
    else if (step === 'pause') end.pause();
    else if (step === 'resume') end.resume();
    else if (step === 'stop') end.stop();
    else await vi.advanceTimersByTimeAsync(Number.parseInt(step, 10));
    counts.push(completed);
  }
  expect(vi.getTimerCount()).toBe(0);
  return counts;
}

const LONG: Step = `${10 * DRAIN_AFTER_EXIT_MS} ms`;
const ALMOST: Step = `${DRAIN_AFTER_EXIT_MS - 1} ms`;

describe('the end of a process', () => {
  const cases: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly counts: readonly number[];
  }[] = [
    { name: 'exit, then stdout', steps: ['exit', 'stdout ends', LONG], counts: [0, 1, 1] },
    { name: 'stdout, then exit', steps: ['stdout ends', LONG, 'exit', LONG], counts: [0, 0, 1, 1] },
    {
      name: 'stderr is waited for too, in any order',
      steps: ['with stderr', 'stdout ends', 'exit', 'stderr ends', LONG],
      counts: [0, 0, 0, 1, 1],
    },
    {
      name: 'a grandchild that keeps a pipe open is waited for so long',
      steps: ['exit', ALMOST, '2 ms', LONG],
      counts: [0, 0, 1, 1],
    },
    {
      name: 'time while reading is paused does not count',
      steps: ['exit', ALMOST, 'pause', LONG, 'resume', ALMOST, '2 ms'],
      counts: [0, 0, 0, 0, 0, 0, 1],
    },
    {
      name: 'an exit while reading is paused starts no timer',
      steps: ['pause', 'exit', LONG, 'resume', ALMOST, '2 ms'],
      counts: [0, 0, 0, 0, 0, 1],
    },
    {
      name: 'a pause before the exit that is over',
      steps: ['pause', 'resume', LONG, 'exit', LONG],
      counts: [0, 0, 0, 0, 1],
    },
    {
      name: 'what comes from the pipes begins the wait again',
      steps: ['exit', ALMOST, 'data', ALMOST, 'data', ALMOST, '2 ms', 'data'],
      counts: [0, 0, 0, 0, 0, 0, 1, 1],
    },
    {
      name: 'pipes that were handed over may be silent for longer',
      steps: ['handed over', LONG, 'data', LONG, ALMOST, LONG],
      counts: [0, 0, 0, 0, 0, 1],
    },
    { name: 'until that is over', steps: ['handed over', LONG, 'hurry', ALMOST, '2 ms'], counts: [0, 0, 0, 0, 1] },
    {
      name: 'or stdout has ended, and stderr has not',
      steps: ['with stderr', 'handed over', LONG, 'stdout ends', ALMOST, '2 ms'],
      counts: [0, 0, 0, 0, 0, 1],
    },
    {
      name: 'nothing that comes while reading is paused starts a timer',
      steps: ['exit', 'pause', 'data', LONG, 'resume', 'stdout ends'],
      counts: [0, 0, 0, 0, 0, 1],
    },
    { name: 'nothing after a stop', steps: ['exit', 'stop', 'stdout ends', 'resume', LONG], counts: [0, 0, 0, 0, 0] },
  ];
  for (const { name, steps, counts } of cases) {
    test(name, async () => {
      expect(await completionsAfter(steps)).toEqual(counts);
    });
  }

  test('knows the status and whether stdout is open', () => {
    const end = new ProcessEnd(() => {});
    expect([end.status, end.isStdoutOpen]).toEqual([undefined, true]);
    end.exited(EXITED);
    end.pipeEnded('stdout');
    expect([end.status, end.isStdoutOpen]).toEqual([EXITED, false]);
  });
});
