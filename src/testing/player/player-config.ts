import type { ScenarioHeader, Step } from '../scenario/scenario-types.js';
import type { PlayEvent } from './play-io.js';

/** What a launcher hands over: a file or steps, and where to write what happened. */
export interface PlayerConfig extends ProcessPlayOptions {
  readonly file?: string;
  readonly steps?: readonly Step[];
  readonly header?: Partial<Omit<ScenarioHeader, 'version'>> | undefined;
}

export interface ProcessPlayOptions {
  /** The CLI's arguments. @defaultValue those of this process */
  readonly argv?: readonly string[] | undefined;
  /** Folder where processes are numbered, marks and gates live, and verdicts are left. */
  readonly dir?: string | undefined;
  /** File that gets one JSON line per event, appended. */
  readonly log?: string | undefined;
  /** File that gets the verdict, overwritten. */
  readonly verdict?: string | undefined;
  /** The value of `$cwd` in a `spawn` step. */
  readonly cwd?: string | undefined;
  /** Multiplies every time-out. @defaultValue 1 */
  readonly timeoutFactor?: number | undefined;
  /** Hears what a step begins to wait for, in words. */
  readonly onWait?: ((what: string) => void) | undefined;
  /** Plays the section of this number. @defaultValue the number this process gets in `dir`, or 1 */
  readonly spawn?: number | undefined;
}

/** One line of the log. */
export type PlayLogRecord = {
  /** Milliseconds since the process started. */
  readonly t: number;
  /** Tells plays of one launcher apart that ran side by side. */
  readonly pid: number;
  /** Number of the process, from 1, in the order they started. */
  readonly spawn: number;
} & PlayLogEvent;

export type PlayLogEvent =
  | PlayEvent
  | {
      readonly event: 'start';
      /** Everything after the script's path. */
      readonly argv: readonly string[];
      /** Arguments of Node before the script's path. */
      readonly execArgv: readonly string[];
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly cwd: string;
    };
