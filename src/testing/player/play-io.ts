import type { KillSignal, PlayerSignal, Verdict } from '../scenario/scenario-types.js';

/**
 * Everything a play needs of the world. A process gives its own stdin and stdout (`packages/cli`); a test can give
 * memory and a clock of its own.
 */
export interface PlayIo {
  /** Arguments after the program's path. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The value of `$cwd` in a `spawn` step: where the client should run. @defaultValue `cwd` */
  readonly expectedCwd?: string | undefined;
  readonly stdin: LineSource;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
  readonly clock: Clock;
  /** Called once, before anything else. */
  onSignal(listener: (signal: PlayerSignal) => void): void;
  /** Takes every event, for a log. */
  log(event: PlayEvent): void;
  /** The play got to `mark name`. */
  mark(name: string): void;
  /** Resolves when gate `name` is open. An aborted wait may stay pending; it must hold nothing. */
  gate(name: string, abandoned: AbortSignal): Promise<void>;
  /** Hears what a step begins to wait for, in words. */
  readonly waits?: ((what: string) => void) | undefined;
  /** Starts a process that holds this one's stdout for so long, and outlives it. */
  grandchild(ms: number): void;
  /** Takes the verdict; a later one replaces it. */
  report(verdict: Verdict): void;
  /** The play is over: ends the process. Called once; nothing is called after it. */
  exit(end: number | KillSignal): void;
}

export interface LineSource {
  /** Starts reading. Called once. */
  read(receiver: LineReceiver): void;
  pause(): void;
  resume(): void;
  /** Closes it, so that a writer gets EPIPE. */
  close(): void;
}

export interface LineReceiver {
  /** Without the newline. */
  onLine(line: string): void;
  /** Once. `rest` is an unfinished last line, or empty. */
  onEof(rest: string): void;
}

export interface OutputSink {
  /** Returns a promise when the reader is behind; it resolves when more is welcome, or the reader is gone. */
  write(bytes: Uint8Array | string): Promise<void> | undefined;
  /** Resolves when everything has left, or the reader is gone. */
  flush(): Promise<void>;
  /** Gives the reader its end of file, after what was written. */
  close(): Promise<void>;
}

export interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Runs `onExpired` after so many milliseconds; never for `0`. */
export function startLimit(clock: Clock, ms: number, onExpired: () => void): unknown {
  return ms === 0 ? undefined : clock.setTimeout(onExpired, ms);
}

/** What a play tells its log, besides its start. */
export type PlayEvent =
  | { readonly event: 'in'; readonly line: string }
  | { readonly event: 'eof' }
  | { readonly event: 'signal'; readonly signal: string }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'end'; readonly exitCode: number };
