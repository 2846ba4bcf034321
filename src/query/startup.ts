import { tooLate } from '../control/request-errors.js';
import { AbortError, InvalidOptionError, SessionClosedError } from '../errors.js';
import type { SDKUserMessage } from '../parser/message.js';
import { isJsonObject } from '../util/json.js';
import { isOptionName } from './launch/validate-options.js';
import { openSession } from './open-session.js';
import type { Options } from './options.js';
import { assertPrompt } from './prompt.js';
import { SessionQuery } from './query.js';
import type { QuerySession } from './query-session.js';
import type { Query } from './query-types.js';

/** A CLI that has started and waits for its prompt. For one prompt only. */
export interface WarmQuery extends AsyncDisposable {
  /**
   * Sends the prompt; from here on everything is as after `query()`.
   * @throws SessionClosedError it was called before, `close()` was, or the process has ended meanwhile (`cause` says
   * how).
   * @throws AbortError the `abortController` has fired.
   * @throws InvalidOptionError the prompt is neither a string nor an iterable; `query()` can be called again.
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
 * Spawns the process with these options, sends `initialize`, and resolves with its answer. The process lives until its
 * query ends, or `close()`.
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
 * @see docs/startup.md in the repository
 */
export async function startup(params: { options?: Options; initializeTimeoutMs?: number } = {}): Promise<WarmQuery> {
  refuseMisplacedOptions('startup', params);
  const { options, initializeTimeoutMs } = params ?? {};
  const hasOwnLimit = initializeTimeoutMs !== undefined && initializeTimeoutMs !== null;
  return new WarmSession(await openWarmSession({ options, initializeTimeoutMs, countsStartHooks: hasOwnLimit }));
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
      const { closedBy } = session.controller;
      if (closedBy instanceof AbortError) throw closedBy;
      throw tooLate('ProcessTransport is not ready for writing: Claude Code ended before its prompt', closedBy);
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

interface WarmStart {
  readonly options: Options | null | undefined;
  /** Milliseconds; wins over the option of that name. `0` or `Infinity`: no limit. */
  readonly initializeTimeoutMs: number | null | undefined;
  /** Whether the time of SessionStart and Setup hooks counts. */
  readonly countsStartHooks: boolean;
  /** Called once, when the process is gone or was never started. */
  readonly onGone?: () => void;
}

/**
 * Starts the CLI without a prompt and waits for a good answer to `initialize`.
 * @throws what `ClaudeClient.connect()` throws. The process has then been told to end.
 */
export async function openWarmSession(start: WarmStart): Promise<QuerySession> {
  const { options, initializeTimeoutMs, countsStartHooks } = start;
  const isLimited = initializeTimeoutMs !== undefined && initializeTimeoutMs !== null;
  const { onGone = () => {} } = start;
  let session: QuerySession;
  try {
    session = openSession({
      front: 'warm',
      prompt: undefined,
      options: isLimited ? { ...options, initializeTimeoutMs } : options,
      countsStartHooks,
    });
  } catch (error) {
    onGone();
    throw error;
  }
  void session.exited.then(onGone);
  try {
    await session.confirmed;
  } catch (error) {
    session.close();
    throw error;
  }
  return session;
}

/**
 * Options beside `options` would be ignored, and the process would run without the model or the limits that were asked
 * for. Names of other things pass.
 * @throws InvalidOptionError
 */
export function refuseMisplacedOptions(caller: 'startup' | 'prewarm', params: unknown): void {
  if (!isJsonObject(params)) return;
  const name = Object.keys(params).find(
    (key) => key !== 'initializeTimeoutMs' && isOptionName(key) && params[key] !== undefined,
  );
  if (name === undefined) return;
  throw new InvalidOptionError(
    name,
    `\`${name}\` is an option: ${caller}() takes it inside of \`options\`, as in ${caller}({ options: { ${name}: ... } }).`,
  );
}
