import { tmpdir } from 'node:os';
import type { PermissionMode } from '../../index.js';
import { isKnownRelease } from '../../util/cli-versions.js';
import { removeTree } from '../../util/remove-tree.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { AdapterConfig, Host } from '../evaluate/adapter-config.js';
import type { ResolvedClientConfig } from '../evaluate/client-config.js';
import { childEnvironment } from '../isolation/environment.js';
import { DEFAULT_PREFIX, EphemeralHome } from '../isolation/ephemeral-home.js';
import type { SandboxProbe } from '../isolation/sandbox-probe.js';
import { isBypassRefused } from '../isolation/start-checks.js';
import {
  ADAPTER_WAYS,
  type CheckItem,
  type CheckReport,
  type CheckWays,
  failed,
  passed,
  warning,
} from './check-report.js';
import { checkCredential, checkExecutable, checkRelease, checkTemp, watchClock } from './machine-checks.js';

/** The modes that the CLI was seen to accept. A CLI that is newer than what was tested may know more. */
export const PERMISSION_MODES: { readonly [M in PermissionMode | 'manual']: true } = {
  default: true,
  acceptEdits: true,
  plan: true,
  bypassPermissions: true,
  dontAsk: true,
  auto: true,
  manual: true,
};

interface CheckInput extends ResolvedClientConfig, Host {
  readonly ways: CheckWays;
}

/**
 * Checks whether a run could start, without calling a model: the CLI and its version, credentials, bypass mode as root,
 * the temporary directory, the needs of isolation, a trial sandbox, and the clock. Every problem comes with a remedy.
 * Leaves nothing behind, and ends within about 15 seconds.
 * @param ways - Wording of the advice.
 */
export async function checkAdapter(config: AdapterConfig, ways: CheckWays = ADAPTER_WAYS): Promise<CheckReport> {
  const runtime = await config.loadRuntime();
  const finishClock = watchClock(config.clock);
  const input = { ...config.client, ...config.host(), ways };
  const childEnv = environmentOf(input);
  const tempRoot = input.tempRoot ?? tmpdir();
  const { item: temp, folder } = await checkTemp(tempRoot);
  try {
    const [{ item: executable, version }, isolation, sandbox] = await Promise.all([
      checkExecutable({ ...input, runtime, childEnv, folder }),
      // It would fail for the same reason as the temporary directory.
      temp.status === 'passed' ? checkIsolationHere(input, tempRoot) : undefined,
      checkSandbox(input, childEnv, config.sandboxProbe),
    ]);
    const items = [
      executable,
      ...checkRelease(input, version, runtime),
      ...(await checkCredential({ ...input, childEnv, isolated: input.isolation !== undefined })),
      checkBypass(input, childEnv, version),
      temp,
      isolation,
      sandbox,
      finishClock(),
    ].filter((item) => item !== undefined);
    return { version: 1, passed: items.every(({ status }) => status !== 'failed'), items };
  } finally {
    if (folder !== undefined) await removeTree(folder);
  }
}

function environmentOf(input: CheckInput): Host['hostEnv'] {
  const { isolation, hostEnv, env } = input;
  if (isolation === undefined) return { ...hostEnv, ...env };
  return childEnvironment({ ...input, isolation, cwd: input.cwd, prefix: DEFAULT_PREFIX }).env;
}

function checkBypass(
  { permissionMode, uid, ways }: CheckInput,
  childEnv: Host['hostEnv'],
  version: string | undefined,
): CheckItem {
  if (isBypassRefused({ permissionMode, uid, childEnv })) {
    return failed('bypass', 'Claude Code refuses bypass mode for the root user.', ways.root);
  }
  if (!Object.hasOwn(PERMISSION_MODES, permissionMode)) {
    const mode = `The permission mode ${JSON.stringify(permissionMode)}`;
    const fix = `${ways.permissionMode} The known ones are ${Object.keys(PERMISSION_MODES).join(', ')}.`;
    return version !== undefined && isKnownRelease(version)
      ? failed('bypass', `${mode} is not known to Claude Code ${version}, which does not start with it.`, fix)
      : warning('bypass', `${mode} is not known here, and a CLI that does not know it does not start.`, fix);
  }
  if (permissionMode !== 'bypassPermissions') {
    return passed('bypass', `The permission mode is ${JSON.stringify(permissionMode)}, which every user may use.`);
  }
  const why = uid === 0 ? 'as root, with IS_SANDBOX=1' : 'as a user who is not root';
  return passed('bypass', `Bypass mode may be used ${why}.`);
}

/** Makes a home as a run would, which finds invalid paths and too long socket paths. */
async function checkIsolationHere(input: CheckInput, tempRoot: string): Promise<CheckItem | undefined> {
  if (input.isolation === undefined) return undefined;
  try {
    const home = await EphemeralHome.create(input.isolation, { ...input, workspacePath: input.cwd });
    await home.cleanup();
    return passed('isolation', `A home for a run can be made in ${tempRoot}.`);
  } catch (error) {
    if (!(error instanceof AdapterConfigError)) throw error;
    return failed('isolation', error.message, error.hint ?? 'Change what the message names.');
  }
}

async function checkSandbox(
  { isolation, platform, tempRoot, ways }: CheckInput,
  childEnv: Host['hostEnv'],
  probe: SandboxProbe,
): Promise<CheckItem | undefined> {
  if (isolation === undefined || !isolation.sandbox.enabled) return undefined;
  const path = childEnv.PATH;
  const { passed: holds, problem, fix, openings = [] } = await probe({ platform, path, tempRoot });
  if (holds) return passed('sandbox', 'A command was started in a sandbox, and could not leave it.');
  const found = problem ?? 'The sandbox cannot start.';
  if (isolation.sandbox.required) return failed('sandbox', found, `${fix ?? ''} ${ways.noSandbox}`.trim());
  if (openings.length > 0) return warning('sandbox', found, fix ?? ways.noSandbox);
  const without = 'Shell commands would have no limit that holds.';
  return warning('sandbox', `${found} ${without}`, fix ?? ways.noSandbox);
}
