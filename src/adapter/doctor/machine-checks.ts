import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PermissionMode } from '../../index.js';
import { aboutVersion, isRelease, releaseIn } from '../../util/cli-versions.js';
import { codeOf } from '../../util/error-code.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import { missingExecutable } from '../errors/missing-executable.js';
import type { Host } from '../evaluate/adapter-config.js';
import type { ResolvedClientConfig } from '../evaluate/client-config.js';
import { runCommand } from '../isolation/run-command.js';
import type { Clock } from '../limits/clock.js';
import type { AgentRuntime } from '../runtime/agent-runtime.js';
import { keepsGuarantee, lackCure, lackProblem, lackText, neededGuarantees } from '../runtime/guarantees.js';
import { type CheckItem, type CheckWays, failed, passed, warning } from './check-report.js';
import { crlfShebang, unstartable } from './executable-file.js';
import { checkGateway } from './gateway-checks.js';
import { storedLogin } from './login.js';

const TIMEOUT_MS = 15_000;
const UPDATE = 'Update Claude Code.';

interface ExecutableInput {
  readonly runtime: AgentRuntime;
  /** `undefined`: looked for. */
  readonly executable: string | undefined;
  /** The child's whole environment. */
  readonly childEnv: Host['hostEnv'];
  /** A private folder for files that the program may write. */
  readonly folder: string | undefined;
  readonly ways: CheckWays;
  /** @defaultValue 15_000 */
  readonly timeoutMs?: number;
}

/** Finds the CLI as a run would, and asks it for its version. */
export async function checkExecutable(
  input: ExecutableInput,
): Promise<{ readonly item: CheckItem; readonly version?: string | undefined }> {
  const { runtime, executable, childEnv, ways } = input;
  const { path, release, error } = await runtime.locateExecutable({
    pathToClaudeCodeExecutable: executable,
    env: childEnv,
  });
  const unfit = unstartable(path ?? executable ?? '');
  if (unfit !== undefined) return { item: failed('executable', unfit.found, unfit.fix) };
  if (path === undefined) return { item: missing(error, ways) };
  const { exitCode, stdout, stderr, failure } = await askForVersion(path, input);
  // A run looks at the files first, too.
  const version = isRelease(release) ? release : releaseIn(stdout);
  const found = `Claude Code ${version} is at ${path}. ${aboutVersion(version)}`.trim();
  if (failure === undefined && exitCode === 0) {
    // As the CLI itself does. A script around it may say anything.
    const isNamed = stdout.includes('(Claude Code)');
    if (isNamed && version !== undefined) return { item: passed('executable', found), version };
    const first = stdout.trim().split('\n')[0]?.slice(0, 100);
    const says = first ? `says ${JSON.stringify(first)}` : 'says nothing';
    const what = isNamed ? 'does not tell its version' : 'does not call itself Claude Code';
    const fix = `Make sure that it is Claude Code, or ${ways.executable}.`;
    return { item: warning('executable', `${path} ${what}: asked for its version, it ${says}.`, fix) };
  }
  if (failure === 'timeout') {
    const found = `${path} did not answer \`--version\` within ${(input.timeoutMs ?? TIMEOUT_MS) / 1_000} seconds.`;
    return { item: failed('executable', found, `Run it by hand to see what it waits for, or ${ways.executable}.`) };
  }
  const converted = crlfShebang(path);
  if (converted !== undefined) return { item: failed('executable', converted.found, converted.fix) };
  const launchError = /^E[A-Z0-9]+$/.test(failure ?? '') ? runtime.launchErrorOf?.(path, `${failure}`) : undefined;
  if (launchError !== undefined) return { item: missing(launchError, ways) };
  const said = stderr.trim().split('\n')[0]?.slice(0, 300);
  const item = failed(
    'executable',
    `${path} cannot be run: ${said || (failure ?? `exit code ${exitCode}`)}.`,
    `Install it anew with \`npm install -g @anthropic-ai/claude-code\`, or ${ways.executable}.`,
  );
  return { item };
}

function missing(error: unknown, { executable, listsPlaces }: CheckWays): CheckItem {
  const { found, fix } = missingExecutable(error, executable, listsPlaces);
  return failed('executable', found, fix);
}

/** What a run does without on this release, or why it would be refused. One that does not tell its version is not judged. */
export function checkRelease(
  client: ResolvedClientConfig,
  version: string | undefined,
  { judgeRelease }: AgentRuntime,
): readonly CheckItem[] {
  const permissionMode = client.permissionMode as PermissionMode;
  const refusal = version === undefined ? undefined : judgeRelease?.(version, { permissionMode });
  if (refusal !== undefined) return [failed('release', refusal.message, refusal.hint ?? UPDATE)];
  const inPlanMode = version === undefined ? undefined : judgeRelease?.(version, { permissionMode: 'plan' });
  const plan = inPlanMode === undefined ? [] : [warning('release', inPlanMode.message, UPDATE)];
  const lacking = neededGuarantees(client, [])
    .filter(({ name }) => !keepsGuarantee(version, name))
    .map((needed) => {
      const problem = lackProblem(needed, version);
      const cure = lackCure(needed.name);
      return problem === undefined
        ? warning('release', lackText(needed.name, version), cure)
        : failed('release', problem, cure);
    });
  return [...plan, ...lacking];
}

function askForVersion(
  path: string,
  { childEnv, folder, timeoutMs = TIMEOUT_MS }: ExecutableInput,
): ReturnType<typeof runCommand> {
  const isScript = /\.[cm]?js$/.test(path);
  const args = [...(isScript ? [path] : []), '--version'];
  // The rest of the environment does not matter here, and secrets stay here.
  const { PATH, Path, SystemRoot } = childEnv;
  const env = { PATH, Path, SystemRoot, HOME: folder, TMPDIR: folder, DISABLE_AUTOUPDATER: '1' };
  return runCommand(isScript ? process.execPath : path, args, { env, timeoutMs });
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

interface CredentialInput {
  /** The child's whole environment. */
  readonly childEnv: Host['hostEnv'];
  readonly isolated: boolean;
  readonly hostHome: string;
  readonly platform: string;
  readonly ways: CheckWays;
}

/**
 * Checks that the CLI would find a credential, and what its cloud provider needs. Whether they are valid is not asked.
 */
export async function checkCredential(input: CredentialInput): Promise<readonly CheckItem[]> {
  const home = input.childEnv.HOME || input.hostHome;
  // A provider takes no key of Anthropic.
  return checkGateway({ ...input, home }) ?? [await checkKey(input, home)];
}

async function checkKey({ childEnv, isolated, platform, ways }: CredentialInput, home: string): Promise<CheckItem> {
  const key = KEYS.find((name) => Boolean(childEnv[name]));
  if (key !== undefined) return passed('credential', `${key} is set; whether it is valid was not asked.`);
  if (isolated) {
    return failed(
      'credential',
      'The isolated CLI has no API key; a login of this user is out of its reach.',
      ways.isolatedCredential,
    );
  }
  const login = await storedLogin({ ...childEnv, HOME: home }, KEYS);
  if (login !== undefined) return passed('credential', `${login}; whether it is valid was not asked.`);
  const fix = 'Set ANTHROPIC_API_KEY, or log in: start `claude` and type /login.';
  if (platform === 'darwin') {
    return warning('credential', 'There is no API key; a login in the keychain was not looked for.', fix);
  }
  return failed('credential', 'There is no API key in the environment, and this user is not logged in.', fix);
}

const TEXT = 'x'.repeat(4_096);

/** Makes a folder in the temporary directory, and writes and reads a file there. The caller removes the folder. */
export async function checkTemp(
  tempRoot: string,
): Promise<{ readonly item: CheckItem; readonly folder: string | undefined }> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tempRoot, ownDirectoryPrefix()));
    const file = join(folder, 'check');
    await writeFile(file, TEXT, { mode: 0o600, flag: 'wx' });
    if ((await readFile(file, 'utf8')) !== TEXT) throw new Error('it does not keep what is written');
    return { item: passed('temp', `${tempRoot} can be written.`), folder };
  } catch (error) {
    const why = codeOf(error) ?? (error instanceof Error ? error.message : 'unknown');
    const fix =
      why === 'ENOSPC'
        ? 'Free some space on that disk, or set TMPDIR to a directory on another.'
        : 'Set TMPDIR to a directory that this user can write.';
    return { item: failed('temp', `The temporary directory ${tempRoot} cannot be used: ${why}.`, fix), folder };
  }
}

/** Before the first release. */
const EARLIEST = Date.UTC(2025, 8, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** A time service may correct this much. */
const MAX_DRIFT_MS = 1_000;
const FIX = 'Set the clock of the machine, and keep it set with a time service (NTP).';

/**
 * Starts to watch a clock. The returned function says whether the date is plausible, and whether the clock was set or
 * stood still since. It asks no other machine for the right time.
 */
export function watchClock(clock: Clock): () => CheckItem {
  const start = { wall: clock.now(), steady: clock.monotonic() };
  return () => {
    const wall = clock.now();
    const steady = clock.monotonic();
    const date = toText(wall);
    if (steady < start.steady) {
      return failed('clock', 'The steady clock, which limits are measured with, runs backwards.', FIX);
    }
    if (!(wall >= EARLIEST && wall <= LATEST)) {
      return failed('clock', `The clock says ${date}, so certificates of hosts count as invalid.`, FIX);
    }
    const drift = Math.round(wall - start.wall - (steady - start.steady));
    if (Math.abs(drift) > MAX_DRIFT_MS) {
      return warning('clock', `The clock was set by ${drift} ms during the check.`, FIX);
    }
    return passed('clock', `The clock says ${date} and runs evenly.`);
  };
}

function toText(ms: number): string {
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms}`;
}
