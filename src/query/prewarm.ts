import { isJsonObject } from '../util/json.js';
import type { Options } from './options.js';
import { ClaimableProcess } from './prewarm/claimable-process.js';
import { createParkingDirectory, type ParkingDirectory } from './prewarm/parking-directory.js';
import { refuseSessionsInPrewarm } from './prewarm/session-options.js';
import { withFixedConfigFolder } from './prewarm/spare-environment.js';
import type { SpareProcess } from './prewarm/spare-types.js';
import { openWarmSession, refuseMisplacedOptions } from './warm-session.js';

/**
 * Starts the CLI before it is known which session it will serve, and makes it that session later with `claim()`.
 *
 * Spawns the process with `--await-claim` in a private folder of its own (`<configuration>/spares/`, removed with the process), or in
 * `options.cwd`, sends `initialize`, and resolves with its answer. What a claim cannot set is settled here: executable, environment,
 * tools, MCP servers, hooks, callbacks, plugins. A spare holds some 250 MB; it lives until its query ends, or `close()`.
 *
 * @param params.initializeTimeoutMs - Milliseconds for the answer, hooks included; `0` or `Infinity`: no limit.
 * @defaultValue `options.initializeTimeoutMs`, or 60 000
 * @throws InvalidOptionError `resume`, `continue` and `forkSession` too: they name a session that exists. `sessionId` is the id of the
 * session that the spare becomes.
 * @throws CLINotFoundError, CLIConnectionError, AbortError, ControlRequestError, ControlRequestTimeoutError; ProcessError from a
 * release that does not know `--await-claim`. The process has then been told to end.
 *
 * @example
 * await using spare = await prewarm({ options: { model: 'sonnet' } });
 * const run = spare.claim({ prompt: 'Say hello.', options: { cwd: '/path/to/project' } });
 * for await (const message of run) console.log(message.type);
 *
 * @see docs/startup.md in the repository
 */
export async function prewarm(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<SpareProcess> {
  refuseMisplacedOptions('prewarm', params);
  const { options: given, initializeTimeoutMs } = params ?? {};
  refuseSessionsInPrewarm(given);
  const options = withFixedConfigFolder(given);
  const place = isPlaced(options) ? undefined : createParkingDirectory(options?.env ?? process.env);
  const session = await openWarmSession({
    options: parkedOptions(options, place),
    initializeTimeoutMs,
    countsStartHooks: true,
    onGone: () => place?.remove(),
  });
  return new ClaimableProcess(session);
}

/** Whether the caller says where the process waits, or brings it. */
function isPlaced(options: Options | null | undefined): boolean {
  return Boolean(options?.cwd) || (options?.transport ?? undefined) !== undefined;
}

function parkedOptions(
  options: Options | null | undefined,
  place: ParkingDirectory | undefined,
): Options {
  const extraArgs: unknown = options?.extraArgs ?? {};
  return {
    ...options,
    // What is no object is refused with all the other checks.
    extraArgs: isJsonObject(extraArgs) ? { ...extraArgs, 'await-claim': null } : extraArgs,
    ...(place === undefined ? {} : { cwd: place.path }),
  } as Options;
}
