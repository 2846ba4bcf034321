import { type FSWatcher, watch } from 'node:fs';
import { cliSections, type PlayerFolder, type Scenario, type Verdict } from 'claudewire/testing';
import { type CliFailure, cliFailure } from './cli-failure.js';
import { ScenarioFailure } from './results.js';

const POLL_MS = 250;
const GONE_POLL_MS = 25;
/** What a player needs to write its verdict, many times over. */
const SETTLE_MS = 500;

/** The player's side of one scenario: which processes there were, and what came of each. */
export class CliLaneWatch {
  readonly #folder: PlayerFolder;
  readonly #scenario: Scenario;
  readonly #mayBeKilled: boolean;

  /** @param mayBeKilled a process that was killed before its section was over is no failure */
  constructor(folder: PlayerFolder, scenario: Scenario, mayBeKilled = false) {
    this.#folder = folder;
    this.#scenario = scenario;
    this.#mayBeKilled = mayBeKilled;
  }

  /** The verdicts so far, in the order the processes started. */
  verdicts(): readonly Verdict[] {
    return this.#folder.processes().flatMap(({ spawn }) => this.#folder.verdict(spawn) ?? []);
  }

  /** The first expectation of the CLI lane that was not met, when there is one already. */
  failure(): CliFailure | undefined {
    const failed = this.verdicts().find(({ passed, failure }) => !passed && failure !== undefined);
    return failed === undefined ? undefined : cliFailure(failed, this.#scenario.file);
  }

  /**
   * Asks what is left of the lane to end, so that it says what it waited for. A process that is to ignore the signal
   * says nothing.
   */
  async settle(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    for (const pid of this.#pids().filter(isAlive)) kill(pid, 'SIGTERM');
    await this.gone(SETTLE_MS, signal);
  }

  /** Rejects as soon as an expectation of the CLI lane is not met. Never resolves. */
  watch(abandoned: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      let watcher: FSWatcher | undefined;
      const look = (): void => {
        const failed = this.failure();
        if (failed === undefined) return;
        stop();
        reject(failed.failure);
      };
      const timer = setInterval(look, POLL_MS);
      const stop = (): void => {
        clearInterval(timer);
        watcher?.close();
      };
      abandoned.addEventListener('abort', stop, { once: true });
      try {
        watcher = watch(this.#folder.dir, look);
        watcher.on('error', () => watcher?.close());
      } catch {
        // The folder cannot be watched: the timer looks.
      }
    });
  }

  /** Waits until every process is gone. Kills what is left when the time is up or at an abort, and says how many. */
  async gone(limitMs: number, signal?: AbortSignal): Promise<number> {
    const end = performance.now() + limitMs;
    for (;;) {
      const alive = this.#pids().filter(isAlive);
      if (alive.length === 0) return 0;
      if (signal?.aborted || performance.now() >= end) {
        this.kill();
        return alive.length;
      }
      await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS));
    }
  }

  /** Kills every process that is left. */
  kill(): void {
    for (const pid of this.#pids().filter(isAlive)) kill(pid, 'SIGKILL');
  }

  /** Judges the lane when everything is over. */
  judge(): ScenarioFailure | undefined {
    const spawned = this.#folder.processes().length;
    const verdicts = this.verdicts();
    const failed = verdicts.find(({ passed }) => !passed);
    if (failed !== undefined) return cliFailure(failed, this.#scenario.file).failure;
    if (verdicts.length < spawned && !this.#mayBeKilled) {
      return new ScenarioFailure(`a process of the CLI lane was killed before its section was over`, [
        `processes: ${spawned}, verdicts: ${verdicts.length}`,
      ]);
    }
    const sections = cliSections(this.#scenario);
    const isNumbered = sections[0]?.spawn !== undefined;
    const wanted = isNumbered ? sections.length : Number((sections[0]?.steps.length ?? 0) > 0);
    if (spawned >= wanted) return undefined;
    const line = sections[spawned]?.spawn?.line;
    return new ScenarioFailure(
      `${line === undefined ? '' : `line ${line}: `}expected ${wanted} CLI processes, found ${spawned}`,
    );
  }

  #pids(): readonly number[] {
    return this.#folder.processes().flatMap(({ pid }) => pid ?? []);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}
