import { openSync, writeSync } from 'node:fs';
import type { PlayEvent } from './play-io.js';

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

/** Appends to the log as things happen, so that it is whole even after SIGKILL. Does nothing without a file. */
export class PlayLog {
  readonly #fd: number | undefined;
  readonly #spawn: number;

  constructor(file: string | undefined, spawn: number) {
    // The environment is in it: nobody else's to read.
    this.#fd = file === undefined ? undefined : openSync(file, 'a', 0o600);
    this.#spawn = spawn;
  }

  write(event: PlayLogEvent): void {
    if (this.#fd === undefined) return;
    const t = Math.round(performance.now() * 1000) / 1000;
    writeSync(
      this.#fd,
      `${JSON.stringify({ t, pid: process.pid, spawn: this.#spawn, ...event })}\n`,
    );
  }
}
