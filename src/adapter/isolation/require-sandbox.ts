import { AdapterConfigError } from '../errors/config-errors.js';
import type { Log } from '../logging/log.js';
import { hasSandbox, type ResolvedSandbox } from './sandbox-config.js';
import type { SandboxProbe } from './sandbox-probe.js';

export interface RequireSandboxInput {
  readonly sandbox: ResolvedSandbox;
  readonly platform: string;
  /** The child's `PATH`. */
  readonly path: string | undefined;
  /** @see probeOnce */
  readonly probe: SandboxProbe;
  readonly log: Log;
}

const WAYS_OUT =
  'Or go on without it: `isolation.sandbox.required: false` uses the sandbox where it starts, `isolation.sandbox.enabled: false` never does; shell commands then have no limit that holds.';

/**
 * Before the CLI is started: a required sandbox must start. One that is not required, or a platform that has none, is a warning.
 *
 * @returns whether a sandbox was started; `null` when that was not tried.
 * @throws {@link AdapterConfigError} naming what is missing, how to install it, and the ways out.
 */
export async function requireSandbox(input: RequireSandboxInput): Promise<boolean | null> {
  const { sandbox, platform, path, probe, log } = input;
  if (!sandbox.enabled) return null;
  if (!hasSandbox(platform)) {
    if (sandbox.required)
      throw refused(`There is no sandbox on ${platform}.`, 'Run on Linux or macOS.');
    log.warn('isolation.sandbox_unsupported', { platform });
    return null;
  }
  const { passed, problem, fix } = await probe({ platform, path });
  if (passed) return true;
  if (sandbox.required) throw refused(problem ?? 'The sandbox cannot start.', fix ?? '');
  log.warn('isolation.sandbox_unsupported', { platform, problem });
  return false;
}

function refused(problem: string, fix: string): AdapterConfigError {
  return new AdapterConfigError(
    `The sandbox is required and cannot start. ${problem} ${fix} ${WAYS_OUT}`,
    ['isolation.sandbox.required'],
    { hint: `${fix} ${WAYS_OUT}` },
  );
}
