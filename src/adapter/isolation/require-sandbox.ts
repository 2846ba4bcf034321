import { AdapterConfigError } from '../errors/config-errors.js';
import type { Log } from '../logging/log.js';
import type { IsolationReport } from './isolation-report.js';
import { hasSandbox, type ResolvedSandbox } from './sandbox-config.js';
import type { SandboxProbe } from './sandbox-probe.js';

export interface RequireSandboxInput {
  readonly sandbox: ResolvedSandbox;
  readonly platform: string;
  /** The child's `PATH`. */
  readonly path: string | undefined;
  /** Where the homes of runs are made. @defaultValue the system's temporary directory */
  readonly tempRoot?: string | undefined;
  /** @see probeOnce */
  readonly probe: SandboxProbe;
  readonly log: Log;
}

const WAYS_OUT =
  'Or go on without it: `isolation.sandbox.required: false` uses the sandbox where it starts, `isolation.sandbox.enabled: false` never does; shell commands then have no limit that holds.';

/** What was found when a sandbox was tried, for the report. */
export type SandboxFindings = Pick<IsolationReport, 'probePassed' | 'openings'>;

/**
 * Before the CLI is started: a required sandbox must start and keep its commands in. One that is not required, or a platform that
 * has none, is a warning.
 *
 * @throws {@link AdapterConfigError} naming what is missing or open, what to do, and the ways out.
 */
export async function requireSandbox(input: RequireSandboxInput): Promise<SandboxFindings> {
  const { sandbox, platform, path, tempRoot, probe, log } = input;
  if (!sandbox.enabled) return { probePassed: null, openings: [] };
  if (!hasSandbox(platform)) {
    if (sandbox.required)
      throw refused(
        'cannot start',
        `There is no sandbox on ${platform}.`,
        'Run on Linux or macOS.',
      );
    log.warn('isolation.sandbox_unsupported', { platform });
    return { probePassed: null, openings: [] };
  }
  const { passed, problem, fix, openings = [] } = await probe({ platform, path, tempRoot });
  if (passed) return { probePassed: true, openings: [] };
  if (sandbox.required) {
    const what = openings.length > 0 ? 'does not hold' : 'cannot start';
    throw refused(what, problem ?? 'The sandbox cannot start.', fix ?? '');
  }
  const event = openings.length > 0 ? 'isolation.sandbox_open' : 'isolation.sandbox_unsupported';
  log.warn(event, { platform, problem });
  return { probePassed: false, openings };
}

function refused(what: string, problem: string, fix: string): AdapterConfigError {
  return new AdapterConfigError(
    `The sandbox is required and ${what}. ${problem} ${fix} ${WAYS_OUT}`,
    ['isolation.sandbox.required'],
    { hint: `${fix} ${WAYS_OUT}` },
  );
}
