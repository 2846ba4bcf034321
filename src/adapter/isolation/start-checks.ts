import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import type { IsolationReport } from '../report/run-report.js';
import { loosened } from './confirm-settings.js';
import { hasSandbox, type ResolvedSandbox } from './isolation-config.js';
import type { SandboxProbe, SandboxProbeInput } from './sandbox-probe.js';

const SERVERS = 'managed-mcp.json';
const TEXTS = ['CLAUDE.md', ...['skills', 'commands', 'agents', 'rules'].map((name) => join('.claude', name))];

/**
 * Checks the administrator's files before the CLI starts, because the CLI runs a managed SessionStart hook and starts
 * managed servers before it answers anything.
 * @param folder - The folder of these files.
 * @param childEnv - The child's variables, as we chose them.
 * @returns paths of texts that the CLI also loads: memory, skills, commands, agents.
 * @throws {@link AdapterConfigError} they would start programs, or open what the run closes.
 */
export async function checkManagedMachine(
  folder: string,
  childEnv: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly texts: readonly string[] }> {
  const servers = join(folder, SERVERS);
  if (await exists(servers)) {
    throw new AdapterConfigError(
      `This machine has ${JSON.stringify(servers)}: the CLI starts the servers in it outside of any sandbox, and takes no flag that keeps them out`,
      ['isolation'],
      { hint: 'Run on a machine, or in a container, without that file, or leave `isolation` out.' },
    );
  }
  for (const path of await settingsFiles(folder)) {
    // `confirmSettings()` judges the effect of an unreadable file before the first message.
    const settings = parseJsonObject(await readFile(path, 'utf8').catch(() => ''));
    const keys = settings === undefined ? [] : loosened({}, settings, childEnv);
    if (keys.length === 0) continue;
    throw new AdapterConfigError(
      `Managed settings of this machine open what the run closes: ${keys.map((key) => `\`${key}\``).join(', ')} (${path}). The CLI was not started`,
      keys,
      { hint: 'Have them changed, or write the same value (of a variable: in `isolation.env`).' },
    );
  }
  const texts = TEXTS.map((name) => join(folder, name));
  const found = await Promise.all(texts.map(exists));
  return { texts: texts.filter((_, at) => found[at]) };
}

/** Whether the administrator of the machine decides about MCP servers. */
export function hasManagedServers(folder: string): Promise<boolean> {
  return exists(join(folder, SERVERS));
}

async function settingsFiles(folder: string): Promise<readonly string[]> {
  const dropIns = join(folder, 'managed-settings.d');
  const names = await readdir(dropIns).catch(() => []);
  return [
    join(folder, 'managed-settings.json'),
    ...names.filter((name) => name.endsWith('.json')).map((name) => join(dropIns, name)),
  ];
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export interface BypassFacts {
  readonly permissionMode: string;
  /** `undefined` on platforms without user ids. */
  readonly uid: number | undefined;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string | undefined>>;
}

export const WAYS_OUT_OF_ROOT =
  "Run as another user, choose another `permissionMode`, or, on a machine that is a throw-away container, give the child IS_SANDBOX=1 (`env`; under isolation `isolation.env` or `isolation.passEnv: ['IS_SANDBOX']`).";

/** Whether the CLI would refuse to start: as root it accepts bypass mode only with `IS_SANDBOX` exactly `1`. */
export function isBypassRefused({ permissionMode, uid, childEnv }: BypassFacts): boolean {
  return permissionMode === 'bypassPermissions' && uid === 0 && childEnv.IS_SANDBOX !== '1';
}

/**
 * Refuses early what the CLI would refuse late and without a remedy. It never sets `IS_SANDBOX`, since that is a
 * statement about the machine.
 * @throws {@link AdapterConfigError}
 */
export function refuseBypassAsRoot(facts: BypassFacts): void {
  if (!isBypassRefused(facts)) return;
  throw new AdapterConfigError(
    `Claude Code refuses \`permissionMode: 'bypassPermissions'\` for the root user. ${WAYS_OUT_OF_ROOT}`,
    ['permissionMode'],
    { hint: WAYS_OUT_OF_ROOT },
  );
}

interface RequireSandboxInput extends SandboxProbeInput {
  readonly sandbox: ResolvedSandbox;
  /** @see probeOnce */
  readonly probe: SandboxProbe;
  readonly log: Log;
}

const WAYS_OUT =
  'Or go on without it: `isolation.sandbox.required: false` uses the sandbox where it starts, `isolation.sandbox.enabled: false` never does; shell commands then have no limit that holds.';

/** The result of the trial, for the report. */
type SandboxFindings = Pick<IsolationReport, 'probePassed' | 'openings'>;

/**
 * Checks before the CLI starts that a required sandbox starts and contains its commands. If it is not required, a
 * failure is logged as a warning.
 * @throws {@link AdapterConfigError} with what is missing or open, what to do, and the alternatives.
 */
export async function requireSandbox(input: RequireSandboxInput): Promise<SandboxFindings> {
  const { sandbox, platform, path, tempRoot, probe, log } = input;
  if (!sandbox.enabled) return { probePassed: null, openings: [] };
  if (!hasSandbox(platform)) {
    if (sandbox.required)
      throw startRefused('cannot start', `There is no sandbox on ${platform}.`, 'Run on Linux or macOS.');
    log.warn('isolation.sandbox_unsupported', { platform });
    return { probePassed: null, openings: [] };
  }
  const { passed, problem, fix, openings = [] } = await probe({ platform, path, tempRoot });
  if (passed) return { probePassed: true, openings: [] };
  if (sandbox.required) {
    const what = openings.length > 0 ? 'does not hold' : 'cannot start';
    throw startRefused(what, problem ?? 'The sandbox cannot start.', fix ?? '');
  }
  const event = openings.length > 0 ? 'isolation.sandbox_open' : 'isolation.sandbox_unsupported';
  log.warn(event, { platform, problem });
  return { probePassed: false, openings };
}

function startRefused(what: string, problem: string, fix: string): AdapterConfigError {
  return new AdapterConfigError(
    `The sandbox is required and ${what}. ${problem} ${fix} ${WAYS_OUT}`,
    ['isolation.sandbox.required'],
    { hint: `${fix} ${WAYS_OUT}` },
  );
}
