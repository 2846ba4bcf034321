import { AbortError, SessionClosedError } from '../errors.js';
import type { SDKUserMessage } from '../parser/message.js';
import type { Options } from './options.js';
import { assertPrompt } from './prompt.js';
import { SessionQuery } from './query.js';
import type { QuerySession } from './query-session.js';
import type { Query } from './query-types.js';
import { openWarmSession, refuseMisplacedOptions, sessionOver } from './warm-session.js';

/** A CLI that has started and waits for its prompt. For one prompt only. */
export interface WarmQuery extends AsyncDisposable {
  /**
   * Sends the prompt; from here on everything is as after `query()`.
   *
   * @throws SessionClosedError it was called before, `close()` was, or the process has ended meanwhile (`cause` says how).
   * @throws AbortError the `abortController` has fired.
   * @throws InvalidOptionError the prompt is no string and no iterable; the next call may have a better one.
   */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  /** Ends the process, if its prompt was not sent: a `Query` is closed by itself. */
  close(): void;
  /** Ends the process and the query on it; resolves when it is gone, at the latest after 2 s. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the CLI before its prompt is known, so that the first message does not wait for the start.
 *
 * Spawns the process with these options, sends `initialize`, and resolves with its answer. The process
 * lives until its query ends, or `close()`.
 *
 * @param params.initializeTimeoutMs - Milliseconds for the answer; `0` or `Infinity`: no limit. Hooks count.
 * @defaultValue `options.initializeTimeoutMs`, or 60 000; there the time of SessionStart and Setup hooks is not
 * counted, 10 minutes of it at most.
 * @throws InvalidOptionError, CLINotFoundError, CLIConnectionError, ProcessError (it exited), AbortError,
 * ControlRequestError (the CLI refused the handshake), ControlRequestTimeoutError (`errorClass: 'initialize_timeout'`).
 * The process has then been told to end.
 *
 * @example
 * await using warm = await startup({ options: { model: 'sonnet' } });
 * for await (const message of warm.query('Say hello.')) console.log(message.type);
 *
 * @see docs/startup.md in the repository
 */
export async function startup(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<WarmQuery> {
  refuseMisplacedOptions('startup', params);
  const { options, initializeTimeoutMs } = params ?? {};
  const hasOwnLimit = initializeTimeoutMs !== undefined && initializeTimeoutMs !== null;
  return new WarmSession(
    await openWarmSession({ options, initializeTimeoutMs, countsStartHooks: hasOwnLimit }),
  );
}

class WarmSession implements WarmQuery {
  readonly #session: QuerySession;
  #usedBy: 'query' | 'close' | undefined;

  constructor(session: QuerySession) {
    this.#session = session;
  }

  // Own and bound, as the official ones are: programs take the object apart.
  readonly query = (prompt: string | AsyncIterable<SDKUserMessage>): Query => {
    const session = this.#session;
    if (this.#usedBy !== undefined) {
      const why = this.#usedBy === 'close' ? ': it was closed' : '';
      throw new SessionClosedError(`WarmQuery.query() can only be called once${why}`);
    }
    assertPrompt(prompt, 'query');
    if (!session.isRunning) {
      if (session.closedBy instanceof AbortError) throw session.closedBy;
      throw sessionOver(
        'ProcessTransport is not ready for writing: Claude Code ended before its prompt',
        session,
      );
    }
    this.#usedBy = 'query';
    session.sendPrompt(prompt);
    return new SessionQuery(session);
  };

  readonly close = (): void => {
    if (this.#usedBy !== undefined) return;
    this.#usedBy = 'close';
    this.#session.close();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#usedBy ??= 'close';
    this.#session.close();
    await this.#session.left();
  }
}
