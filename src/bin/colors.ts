import { createColors } from 'picocolors';

interface Terminal {
  readonly stdout: { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Colours on a terminal, and wherever `FORCE_COLOR` asks for them; never with `NO_COLOR` or `FORCE_COLOR=0`. */
export function colorsFor({ stdout, env }: Terminal): ReturnType<typeof createColors> {
  const forced = env.FORCE_COLOR ?? '';
  if ((env.NO_COLOR ?? '') !== '' || ['0', 'false'].includes(forced)) return createColors(false);
  return createColors(forced !== '' || stdout.isTTY === true);
}
