import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from './execute.js';
import type { Observed } from './judge.js';
import { Link } from './link.js';
import { observationOf } from './observation.js';
import type { ProcessProgram } from './program.js';
import type { Json, Side } from './row.js';

export interface ProcessSidesOptions {
  /** The interpreter with the Python SDK. */
  readonly python: string;
  /** The one with the older release. */
  readonly before: string;
  /** Path of `parity_driver.py`. */
  readonly pythonDriver: string;
  /** Folder of the Python driver that it builds on. */
  readonly driverFolder: string;
  /** Path of the built `ours.ts`. */
  readonly oursDriver: string;
  /** Path of the built `official.ts`, and the entry file of the official TypeScript SDK. */
  readonly officialDriver: string;
  readonly official: string;
  /** Path of the built player. */
  readonly player: string;
  /** Hears of programs that take long, so that the stage stays short. */
  readonly onSlow?: (program: string, seconds: number) => void;
}

const SLOW_S = 3;

/** It has no client, and no time limits that a faster clock would show. */
function isForOfficial({ mode, timeScale = 1 }: ProcessProgram): boolean {
  return mode === 'query' && timeScale === 1;
}

/** Runs programs through both SDKs, each program once, however often it is asked for. */
export class ProcessSides {
  readonly #options: ProcessSidesOptions;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'claudewire-py-'));
  readonly #seen = new Map<string, Observed>();

  constructor(options: ProcessSidesOptions) {
    this.#options = options;
  }

  /**
   * Runs them all, two sides at the same time: with more, the waits of the programs get short for a busy machine.
   *
   * @param isNew - Whether the older release has nothing of the kind, and is left out.
   */
  async run(programs: readonly ProcessProgram[], isNew: (program: ProcessProgram) => boolean): Promise<void> {
    const [python, ours] = await Promise.all([this.#runSide('python', programs), this.#runSide('ours', programs)]);
    const [before, official] = await Promise.all([
      this.#runSide(
        'before',
        programs.filter((program) => !isNew(program)),
      ),
      this.#runSide('official', programs.filter(isForOfficial)),
    ]);
    for (const { name } of programs) {
      const old = before.get(name);
      const seen = official.get(name);
      this.#seen.set(name, {
        name,
        python: python.get(name) ?? null,
        ...(old === undefined ? {} : { before: old }),
        ours: ours.get(name) ?? null,
        ...(seen === undefined ? {} : { official: seen }),
      });
    }
  }

  observe(program: ProcessProgram): Observed {
    const seen = this.#seen.get(program.name);
    if (seen === undefined) throw new Error(`not run: ${program.name}`);
    return seen;
  }

  /** Programs of one pace of the clock share a driver; the paces go side by side, since most of their time is waiting. */
  async #runSide(side: Side, programs: readonly ProcessProgram[]): Promise<Map<string, Json>> {
    const seen = new Map<string, Json>();
    const scales = [...new Set(programs.map(({ timeScale = 1 }) => timeScale))];
    await Promise.all(
      scales.map((scale) => {
        const own = programs.filter(({ timeScale = 1 }) => timeScale === scale);
        return this.#runScale(side, scale, own, seen);
      }),
    );
    return seen;
  }

  async #runScale(
    side: Side,
    scale: number,
    programs: readonly ProcessProgram[],
    seen: Map<string, Json>,
  ): Promise<void> {
    let link: Link | undefined;
    for (const program of programs) {
      link ??= this.#connect(side, scale);
      const began = performance.now();
      try {
        await link.hello;
        const { player } = this.#options;
        const home = this.#home(side);
        const raw = await execute(program, side, link, { scratch: this.#scratch, home, player });
        seen.set(program.name, observationOf(program, raw));
      } catch (error) {
        seen.set(program.name, { broken: error instanceof Error ? error.message : String(error) });
      }
      const seconds = (performance.now() - began) / 1000;
      if (seconds > SLOW_S) this.#options.onSlow?.(`${side}: ${program.name}`, seconds);
      if (link.isOver) link = undefined;
    }
    await link?.end();
  }

  #connect(side: Side, timeScale: number): Link {
    const { python, before, pythonDriver, driverFolder, oursDriver, officialDriver, official } = this.#options;
    const home = this.#home(side);
    mkdirSync(join(home, 'tmp'), { recursive: true });
    const env = {
      // Built from nothing: no login, no setting of the developer's takes part.
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      LANG: 'C.UTF-8',
      PYTHONDONTWRITEBYTECODE: '1',
      PARITY_DRIVER: driverFolder,
      PARITY_OFFICIAL: official,
      PARITY_TIME_SCALE: String(timeScale),
    };
    const commands = {
      python: [python, pythonDriver],
      before: [before, pythonDriver],
      ours: [process.execPath, oursDriver],
      official: [process.execPath, officialDriver],
    };
    return new Link(commands[side], env, home);
  }

  #home(side: Side): string {
    return join(this.#scratch, `home-${side}`);
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
