import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CLIConnectionError } from '../../errors.js';
import { configLocation } from '../../util/config-folder.js';
import { errorText } from '../../util/error-text.js';
import { onHostExit } from '../../util/host-exit.js';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject } from '../../util/json.js';
import type { Options } from '../options.js';
import { openWarmSession, refuseMisplacedOptions } from '../startup.js';
import { refuseSessionsInPrewarm } from './claim.js';
import { ClaimableProcess, type SpareProcess } from './spare-process.js';

/**
 * Starts the CLI before it is known which session it will serve, and makes it that session later with `claim()`.
 *
 * Spawns the process with `--await-claim` in a private folder of its own (`<configuration>/spares/`, removed with the
 * process), or in `options.cwd`, sends `initialize`, and resolves with its answer. Set here what a claim cannot set:
 * executable, environment, tools, MCP servers, hooks, callbacks, plugins. A spare holds some 250 MB; it lives until its
 * query ends, or `close()`.
 * @param params.initializeTimeoutMs - Milliseconds for the answer, hooks included; `0` or `Infinity`: no limit.
 * @defaultValue `options.initializeTimeoutMs`, or 60 000
 * @throws InvalidOptionError `resume`, `continue` and `forkSession` too: they name a session that exists. `sessionId`
 * is the id of the session that the spare becomes.
 * @throws CLINotFoundError, CLIConnectionError, AbortError, ControlRequestError, ControlRequestTimeoutError;
 * ProcessError from a release that does not know `--await-claim`. The process has then been told to end.
 *
 * @example
 * await using spare = await prewarm({ options: { model: 'sonnet' } });
 * const run = spare.claim({ prompt: 'Say hello.', options: { cwd: '/path/to/project' } });
 * for await (const message of run) console.log(message.type);
 * @see docs/startup.md in the repository
 */
export async function prewarm(params: { options?: Options; initializeTimeoutMs?: number } = {}): Promise<SpareProcess> {
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

function parkedOptions(options: Options | null | undefined, place: ParkingDirectory | undefined): Options {
  const extraArgs: unknown = options?.extraArgs ?? {};
  return {
    ...options,
    // The checks of all options refuse what is not an object.
    extraArgs: isJsonObject(extraArgs) ? { ...extraArgs, 'await-claim': null } : extraArgs,
    ...(place === undefined ? {} : { cwd: place.path }),
  } as Options;
}

/** Where a process waits that has no session yet: an empty folder, so that no project's settings apply. */
interface ParkingDirectory {
  readonly path: string;
  /** Safe to call twice. Never throws: an empty folder that stays does no harm. */
  remove(): void;
}

/**
 * Makes a folder with mode 0700 in the `spares` folder of the CLI's configuration.
 * @param env - The child's variables: they say where its configuration is.
 * @throws CLIConnectionError it cannot be made.
 */
export function createParkingDirectory(env: Readonly<Record<string, string | undefined>>): ParkingDirectory {
  const spares = join(configLocation(env, '.').folder, 'spares');
  let path: string;
  try {
    mkdirSync(spares, { recursive: true, mode: 0o700 });
    path = mkdtempSync(join(spares, 'spare-'));
  } catch (cause) {
    throw new CLIConnectionError(`A folder for the spare process could not be made: ${errorText(cause)}`, {
      cause,
      hint: 'Give `options.cwd`: the process then waits there.',
    });
  }
  const removeNow = () => {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // A file in it is still open.
    }
  };
  const takeBack = onHostExit(removeNow);
  return {
    path,
    remove: () => {
      removeNow();
      takeBack();
    },
  };
}

type GivenOptions = Options | null | undefined;

/**
 * These options with a relative `CLAUDE_CONFIG_DIR` made absolute, from where the folder is when the process starts:
 * `options.cwd`, else this process's own. The CLI takes it from wherever it is, so a spare would start with one folder
 * and keep its session in another after the claim. Left as it is where a spawner or a transport of the caller's decides
 * what paths mean.
 */
export function withFixedConfigFolder(options: GivenOptions): GivenOptions {
  const { env = process.env, cwd } = options ?? {};
  const isElsewhere = Boolean(options?.spawnClaudeCodeProcess ?? options?.transport);
  if (isElsewhere || !isJsonObject(env)) return options;
  const chosen = env.CLAUDE_CONFIG_DIR;
  if (typeof chosen !== 'string' || chosen === '' || isAbsolute(chosen)) return options;
  const start = absolutePath('cwd', typeof cwd === 'string' ? cwd : '.');
  const { folder } = configLocation({ CLAUDE_CONFIG_DIR: chosen }, start);
  return { ...options, env: { ...env, CLAUDE_CONFIG_DIR: folder } };
}
