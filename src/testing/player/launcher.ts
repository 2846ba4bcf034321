import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireObject } from '../../errors/usage-errors.js';
import { scenarioOf } from '../scenario/parse-scenario.js';
import type { ScenarioHeader, Step } from '../scenario/scenario-types.js';
import { findProgram, writeLauncher } from '../write-launcher.js';
import type { PlayerConfig } from './player-config.js';
import { PlayerFolder } from './player-folder.js';

export interface PlayerLauncherOptions {
  /** Path of a scenario file, or the steps themselves. */
  readonly scenario: string | URL | readonly Step[];
  /** Over the file's header; the whole header of steps given in code. */
  readonly header?: Partial<Omit<ScenarioHeader, 'version'>>;
  /**
   * Where the launcher is written, processes are numbered, marks and gates live, and each process leaves its
   * `verdict-1.json`, ... Made when it is missing, never removed; what earlier plays left in it is.
   */
  readonly dir: string;
  /** The value of `$cwd` in a `spawn` step: the directory that the client should use. */
  readonly cwd?: string;
  /** Multiplies every time-out. @defaultValue 1 */
  readonly timeoutFactor?: number;
  /** Gets one JSON line per event: arguments, environment, every line of stdin, signals, the end. */
  readonly log?: string;
  /** Gets the verdict of the process that ended last, as JSON. */
  readonly verdict?: string;
  /** The built player. @defaultValue that of this package */
  readonly player?: string | URL;
}

export interface PlayerLauncher {
  /** What an SDK takes as the path of the CLI. Ends in `.mjs` and is executable. */
  readonly path: string;
  /** To wait for marks, open gates and read verdicts. */
  readonly folder: PlayerFolder;
}

/**
 * Writes a small program that plays one scenario in the CLI's place.
 * @throws ScenarioError steps given in code cannot be played. (A file is checked when it is played.)
 */
export function createPlayerLauncher(options: PlayerLauncherOptions): PlayerLauncher {
  const takes = 'createPlayerLauncher() takes an object';
  const cure = 'Pass one such as `{ scenario, dir }`.';
  requireObject('options', takes, options, cure, { dir: 'path' });
  const { player = findProgram('player.mjs'), header, timeoutFactor } = options;
  requireObject('options', takes, { player }, cure, { player: 'path' });
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const folder = new PlayerFolder(dir);
  folder.reset();
  const path = join(dir, 'claude.mjs');
  const config: PlayerConfig = {
    ...scenarioOrSteps(options),
    dir,
    header,
    timeoutFactor,
    cwd: absolute(options.cwd),
    log: absolute(options.log),
    verdict: absolute(options.verdict),
  };
  writeLauncher(path, player, 'runPlayer', config);
  return { path, folder };
}

const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

function scenarioOrSteps({ scenario, header }: PlayerLauncherOptions): Pick<PlayerConfig, 'file' | 'steps'> {
  if (typeof scenario === 'string') return { file: resolve(scenario) };
  if (scenario instanceof URL) return { file: fileURLToPath(scenario) };
  return { steps: scenarioOf(scenario, header).steps.map(({ step }) => step) };
}
