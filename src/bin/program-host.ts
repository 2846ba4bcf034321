import { createColors } from 'picocolors';

/** What the program needs of the process it runs in. */
export interface ProgramHost {
  readonly argv: readonly string[];
  readonly version: string;
  /** Folder with `player.mjs`, `recorder.mjs` and `demo/`. */
  readonly assets: string;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends what runs, cleanly. */
  readonly abortController: AbortController;
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
  /** SIGTERM. */
  terminated: 143,
} as const;

/** Colours on a terminal, and wherever `FORCE_COLOR` asks for them; never with `NO_COLOR` or `FORCE_COLOR=0`. */
export function colorsFor({ stdout, env }: Pick<ProgramHost, 'stdout' | 'env'>): ReturnType<typeof createColors> {
  const forced = env.FORCE_COLOR ?? '';
  if ((env.NO_COLOR ?? '') !== '' || ['0', 'false'].includes(forced)) return createColors(false);
  return createColors(forced !== '' || stdout.isTTY === true);
}
