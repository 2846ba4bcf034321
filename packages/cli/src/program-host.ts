import { createColors } from 'picocolors';

/** What the program needs of the process it runs in. */
export interface ProgramHost {
  readonly argv: readonly string[];
  readonly version: string;
  /** Folder with `player.mjs`, `recorder.mjs` and `demo/`. */
  readonly assets: string;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
  /** A function, since whoever touches standard input keeps the process waiting for it. */
  readonly stdin?: () => NodeJS.ReadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends what runs, cleanly. */
  readonly abortController: AbortController;
  /** What this process exits with, whatever the run says: a signal came, or the reader of the output has gone. */
  readonly stoppedWith?: () => number | undefined;
  /**
   * The next Ctrl-C, and no later one, calls this instead of ending what runs.
   * @returns takes it back.
   */
  readonly onInterrupt?: (action: () => void) => () => void;
}

interface ProgramOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of a terminal; changes when it is resized. */
  readonly columns?: number;
}

/** What `claudewire` exits with. */
export const ExitCode = {
  /** The run completed. */
  ok: 0,
  /** The run failed, or was interrupted: the last lines say why. */
  failed: 1,
  /** The arguments cannot be used; nothing was started. */
  usage: 2,
  /** Ctrl-C. */
  interrupted: 130,
  /** Ctrl-\, SIGQUIT. */
  quit: 131,
  /** SIGTERM. */
  terminated: 143,
} as const;

/**
 * Colours on a terminal that is not `dumb`, and wherever `FORCE_COLOR` asks for them; never with `NO_COLOR` or
 * `FORCE_COLOR=0`.
 */
export function colorsFor({ stdout, env }: Pick<ProgramHost, 'stdout' | 'env'>): ReturnType<typeof createColors> {
  const forced = env.FORCE_COLOR ?? '';
  if ((env.NO_COLOR ?? '') !== '' || ['0', 'false'].includes(forced)) return createColors(false);
  return createColors(forced !== '' || (stdout.isTTY === true && env.TERM !== 'dumb'));
}
