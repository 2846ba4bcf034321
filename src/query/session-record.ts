import { ProcessError, type ProcessExit, ResultError } from '../errors.js';
import { isResultMessage } from '../parser/guards.js';
import type { SDKResultMessage } from '../parser/message.js';
import { markAfterTurn } from '../parser/outcome.js';
import { fieldsOf, isSystemMessage } from '../parser/read-message.js';
import { resultErrorText } from '../parser/result-outcome.js';
import { leftUnanswered } from '../parser/turn-reader.js';
import type { TransportEnd } from '../transport/transport.js';
import type { JsonObject } from '../util/json.js';
import type { SlashCommand } from './control-answers.js';

/**
 * What a session has to remember of the messages that went by, and which error the end of its process is for the loop.
 * Only another result replaces a remembered one: the official TypeScript SDK's rule. The Python SDK also forgets an
 * error result at any other frame (PY-332), which makes a typed error depend on whether a heartbeat came in between, so
 * its rule is not used by either entry point.
 */
export class SessionRecord {
  #lastResult: SDKResultMessage | undefined;
  #latestCommands: SlashCommand[] | undefined;
  #description: Promise<JsonObject> | undefined;

  /** `undefined` as long as no turn has ended. */
  get lastResult(): SDKResultMessage | undefined {
    return this.#lastResult;
  }

  /** The commands of the last `system/commands_changed`; `undefined` while there was none. */
  get latestCommands(): SlashCommand[] | undefined {
    return this.#latestCommands;
  }

  /** What {@link describeBy} put in the place of the answer to `initialize`. */
  get description(): Promise<JsonObject> | undefined {
    return this.#description;
  }

  /** Call with every `system` frame and every result, in wire order. */
  note(frame: JsonObject): void {
    if (isResultMessage(frame)) {
      this.#lastResult = frame;
    } else if (isSystemMessage(frame, 'commands_changed')) {
      const { commands } = fieldsOf(frame);
      if (Array.isArray(commands)) this.#latestCommands = commands;
    }
  }

  /** Another description of the session, from now on. Its rejection must not count as unhandled. */
  describeBy(description: Promise<JsonObject>): void {
    this.#description = description;
    const before = this.#latestCommands;
    // Commands that came meanwhile are newer than the description.
    const forget = () => {
      if (this.#latestCommands === before) this.#latestCommands = undefined;
    };
    description.then(forget, () => {});
  }

  /**
   * The error for this end, or `undefined` for a clean one.
   *
   * - The transport's own failure keeps its type (PY-335).
   * - Exit 0, or no process at all: none, whatever the result said (TS-155, PY-330). So it is behind a result when a
   *   spawner of the caller does not know how the process ended.
   * - A bad exit after an error result: {@link ResultError}, since the exit code says nothing new (TS-154, PY-325). It
   *   has the exit's code and stderr tail; its `cause` is the exit error.
   * - Any other bad exit: {@link ProcessError} (TS-152, TS-153, TS-156).
   */
  toError(end: TransportEnd): Error | undefined {
    if (end.error !== undefined) return end.error;
    if (end.exit === undefined || isClean(end.exit)) return undefined;
    const exitError = ProcessError.fromExit(end.exit);
    const result = this.#lastResult;
    if (result === undefined) return exitError;
    if (end.exit.exitCode === null && end.exit.signal === null) return undefined;
    if (!result.is_error) return markAfterTurn(exitError);
    return new ResultError(`Claude Code returned an error result: ${resultErrorText(result)}`, result, {
      ...end.exit,
      cause: exitError,
    });
  }

  /** What a clean end has left open, marked on the last result for `outcomeOf()`; `undefined`: nothing. */
  missingAnswers(unansweredCount: number): string | undefined {
    if (this.#lastResult === undefined) return 'Claude Code exited cleanly without a result';
    if (unansweredCount === 0) return undefined;
    leftUnanswered(this.#lastResult, unansweredCount);
    return `Claude Code exited cleanly and left ${unansweredCount} of your messages unanswered`;
  }
}

function isClean(exit: ProcessExit): boolean {
  return exit.signal === null && exit.exitCode === 0;
}
