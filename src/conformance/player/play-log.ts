import { openSync, writeSync } from 'node:fs';

/** One line of the log. `pid` tells plays of one launcher apart that ran side by side. */
export type PlayLogRecord = { readonly pid: number } & (
  | {
      readonly event: 'start';
      /** Everything after the script's path. */
      readonly argv: readonly string[];
      /** Arguments of Node before the script's path. */
      readonly execArgv: readonly string[];
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly cwd: string;
    }
  /** One line of stdin, without its newline. */
  | { readonly event: 'in'; readonly line: string }
  | { readonly event: 'eof' }
  | { readonly event: 'signal'; readonly signal: string }
  | { readonly event: 'end'; readonly exitCode: number }
);

type WithoutPid<T> = T extends unknown ? Omit<T, 'pid'> : never;
export type PlayLogEvent = WithoutPid<PlayLogRecord>;

/** Appends to the log as things happen, so that it is whole even after SIGKILL. Does nothing without a file. */
export class PlayLog {
  readonly #fd: number | undefined;

  constructor(file: string | undefined) {
    // The environment is in it: nobody else's to read.
    this.#fd = file === undefined ? undefined : openSync(file, 'a', 0o600);
  }

  write(event: PlayLogEvent): void {
    if (this.#fd === undefined) return;
    writeSync(this.#fd, `${JSON.stringify({ pid: process.pid, ...event })}\n`);
  }
}
