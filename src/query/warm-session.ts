import { InvalidOptionError, SessionClosedError } from '../errors.js';
import { isJsonObject } from '../util/json.js';
import { isOptionName } from './launch/validate-options.js';
import { openSession } from './open-session.js';
import type { Options } from './options.js';
import type { QuerySession } from './query-session.js';

export interface WarmStart {
  readonly options: Options | null | undefined;
  /** Milliseconds; wins over the option of that name. `0` or `Infinity`: no limit. */
  readonly initializeTimeoutMs: number | null | undefined;
  /** Whether the time of SessionStart and Setup hooks counts. */
  readonly countsStartHooks: boolean;
  /** Called once, when there is no process: it has gone, or none was started. */
  readonly onGone?: () => void;
}

/**
 * Starts the CLI without a prompt and waits for a good answer to `initialize`.
 *
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
 * Options beside `options` would be ignored, and the process would run without the model or the limits that were asked for. Names that
 * are no options pass.
 *
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

/** The error of a prompt for a session that has ended meanwhile; `cause` says why it did. */
export function sessionOver(what: string, session: QuerySession): SessionClosedError {
  const { closedBy } = session;
  return new SessionClosedError(what, closedBy === undefined ? {} : { cause: closedBy });
}
