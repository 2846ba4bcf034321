import { ProcessError, type ProcessExit, ResultError } from '../errors.js';
import type { TransportEnd } from '../transport/transport.js';
import type { JsonObject } from '../util/json.js';
import { resultErrorText } from './outcome/result-text.js';

/**
 * Remembers the last result of a session and decides from it, once the peer has ended, which error
 * the loop throws. Pure: no clock, no I/O.
 *
 * Only another result replaces a remembered one: the official TypeScript SDK's rule. The Python SDK
 * also forgets an error result at any other frame (PY-332), which makes a typed error depend on
 * whether a heartbeat came in between, so its rule is not used, for either door.
 */
export class ResultMemory {
  #last: JsonObject | undefined;

  /** Call with every frame that is not a control frame, in wire order. */
  note(frame: JsonObject): void {
    if (frame.type === 'result') this.#last = frame;
  }

  /** `undefined` as long as no turn has ended. */
  get last(): JsonObject | undefined {
    return this.#last;
  }

  /**
   * The error for this end, or `undefined` for a clean one.
   *
   * - The transport's own failure keeps its type (PY-335).
   * - Exit 0, or no process at all: none, whatever the result said (TS-155, PY-330).
   * - A bad exit after an error result: {@link ResultError}, since the exit code says nothing new
   *   (TS-154, PY-325). It has the exit's code and stderr tail; its `cause` is the exit error.
   * - Any other bad exit: {@link ProcessError} (TS-152, TS-153, TS-156).
   */
  toError(end: TransportEnd): Error | undefined {
    if (end.error !== undefined) return end.error;
    if (end.exit === undefined || isClean(end.exit)) return undefined;
    const exitError = ProcessError.fromExit(end.exit);
    const result = this.#last;
    if (result === undefined || !result.is_error) return exitError;
    return new ResultError(
      `Claude Code returned an error result: ${resultErrorText(result)}`,
      result,
      { ...end.exit, cause: exitError },
    );
  }
}

function isClean(exit: ProcessExit): boolean {
  return exit.signal === null && exit.exitCode === 0;
}
