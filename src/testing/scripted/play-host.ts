import type { Options } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { firstOf } from '../../util/race.js';
import type { Verdict } from '../scenario/scenario-types.js';

/** Milliseconds that processes get to end by themselves. */
export const CLOSE_GRACE_MS = 2_000;

/** What plays a script: real processes, or this one. */
export interface PlayHost {
  readonly options: Pick<Options, 'pathToClaudeCodeExecutable' | 'spawnClaudeCodeProcess'>;
  readonly path: string | undefined;
  /** One for each process that was started, in that order. */
  readonly runs: readonly ScriptedRun[];
  /** @throws InvalidOptionError a process that starts now could not keep time. */
  requireStartable?(): void;
  /** The SDK starts a process that is not among `runs` yet. `settled` does so at the latest when it never will be. */
  starting?(settled: Promise<unknown>): void;
  /**
   * Waits for the processes to start and to end, kills those that do not, and removes every trace. `runs` stays as it
   * was.
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

/** What one process of a scripted CLI saw. */
export interface ScriptedRun {
  /** Counts the processes of this scripted CLI, from 1. */
  readonly spawn: number;
  /** `undefined` in process. */
  readonly pid: number | undefined;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What came on stdin, in order; lines that are no JSON object are not among them. */
  readonly frames: readonly JsonObject[];
  readonly signals: readonly string[];
  /** The application ended the input. */
  readonly sawEndOfInput: boolean;
  /** `undefined` while it runs, and after a signal. */
  readonly exitCode: number | undefined;
  /** `undefined` while it runs, and when it was killed. */
  readonly verdict: Verdict | undefined;
}

const realImmediate = globalThis.setImmediate;

/** Turns of the event loop in which everything in memory gets through. */
const QUIET_TURNS = 12;
/** Real milliseconds after which no request to the file system is waited for. */
export const MAX_REAL_WAIT_MS = 4_000;

/** Lets happen what needs no time: pipes in memory, promises, requests to the file system. */
export async function quiet(): Promise<void> {
  const giveUpAt = realNow() + MAX_REAL_WAIT_MS;
  let turns = 0;
  while (turns < QUIET_TURNS) {
    await new Promise<void>((resolve) => void realImmediate(resolve));
    const isBusy = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
    turns = isBusy && realNow() < giveUpAt ? 0 : turns + 1;
  }
}
