import type { Diagnostic } from '../../diagnostics.js';
import { CLIJSONDecodeError } from '../../errors/transport-errors.js';

/** Enough to see which message it was, and too little for what is in it. */
const SHOWN = 40;

/**
 * The error for a line that began as a message and is no JSON; `undefined` for every other diagnostic. The SDK skips such a
 * line as it skips what a library prints on stdout, but what is lost here may be the very result that a run waits for.
 */
export function brokenFrame({ code, details }: Diagnostic): CLIJSONDecodeError | undefined {
  const excerpt = details?.excerpt;
  if (code !== 'line_not_json' || typeof excerpt !== 'string') return undefined;
  const line = excerpt.trimStart();
  return line.startsWith('{') ? new CLIJSONDecodeError(line.slice(0, SHOWN)) : undefined;
}
