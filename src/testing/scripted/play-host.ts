import type { Options } from '../../index.js';
import { firstOf } from '../../util/race.js';
import type { ScriptedRun } from './scripted-run.js';

/** What plays a script: real processes, or this one. */
export interface PlayHost {
  readonly options: Pick<Options, 'pathToClaudeCodeExecutable' | 'spawnClaudeCodeProcess'>;
  readonly path: string | undefined;
  /** One for each process that was started, in that order. */
  readonly runs: readonly ScriptedRun[];
  /** The SDK starts a process that is not among `runs` yet. `settled` does so at the latest when it never will be. */
  starting?(settled: Promise<unknown>): void;
  /**
   * Waits for the processes to start and to end, kills those that do not, and removes every trace. `runs` stays as it was.
   *
   * @returns the numbers of those that had to be killed.
   */
  close(graceMs: number): Promise<readonly number[]>;
}

const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
/** Milliseconds of the real clock. */
export const realNow = performance.now.bind(performance);

/** True when the promise settled in time. By the real clock, whatever a test does to the global one. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return firstOf<boolean, boolean>(
    () => settled,
    ({ resolve }) => {
      const timer = realSetTimeout(resolve, ms, false);
      return () => realClearTimeout(timer);
    },
  );
}

export function realPause(ms: number): Promise<void> {
  return new Promise((resolve) => void realSetTimeout(resolve, ms));
}

/** The global timers are somebody's clock: virtual time, a test runner's fake timers. */
export function hasMockedTimers(): boolean {
  return globalThis.setTimeout !== realSetTimeout;
}
